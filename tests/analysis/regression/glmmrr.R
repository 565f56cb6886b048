# Prints the digits that test_mixed.py holds, where R has GLMMRR, which Debian has not:
#     python -m tests.analysis.regression.test_mixed | Rscript tests/analysis/regression/glmmrr.R
library(GLMMRR)
d <- read.csv(file("stdin"))
d$g <- factor(d$g); d$design <- "Warner"; d$truth <- .8
control <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhobeg = .02, rhoend = 1e-9))
f <- RRglmer(y ~ x + (1 | g), link = "RRlink.logit", RRmodel = design, p1 = truth, data = d,
             nAGQ = 15, control = control)
cat(sprintf("%.9f", c(logLik(f), fixef(f), sqrt(VarCorr(f)$g[1]), sqrt(diag(vcov(f))))), "\n")
