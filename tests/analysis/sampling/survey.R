# What R's package survey says of people (data.csv) and margins (margins.csv), a number a line.
# Of a randomised answer it is given what each report contributes, so that all of it is linear.
suppressMessages(library(survey))
d <- read.csv("data.csv", stringsAsFactors = TRUE)
m <- read.csv("margins.csv")
d <- transform(d, n = as.numeric(b == "no"), y = as.numeric(b == "yes"))
d <- transform(d, gn = g * n, gy = g * y)
margin <- function(q) {
  of <- m[m$question == q, ]
  setNames(data.frame(of$answer, of$people), c(q, "Freq"))
}
comparisons <- list(
  difference = quote(no - yes),
  shares = quote(log(no / yes)),
  odds = quote(log(no * (1 - yes) / ((1 - no) * yes)))
)
# svyby() gives no covariance of raked groups, so they are quotients of totals.
of_totals <- list(no = quote(gn / n), yes = quote(gy / y))
compared <- function(name, one) {
  by <- svyby(~g, ~b, one, svymean)
  told(paste(name, "by"), coef(by), SE(by))
  both <- svycontrast(svytotal(~gn + n + gy + y, one), of_totals)
  scale <- list(difference = 1, shares = coef(by), odds = coef(by) * (1 - coef(by)))
  for (of in names(comparisons)) {
    found <- svycontrast(both, comparisons[[of]])
    # The variance over the sum of those of simple random samples of both groups' people.
    of_each <- svyby(~g, ~b, one, svymean, deff = "replace")$DEff.g
    effect <- SE(found)^2 / sum((SE(by) / scale[[of]])^2 / of_each)
    told(paste(name, of), if (of == "difference") coef(found) else exp(coef(found)), SE(found),
         effect)
  }
}
# Of a coefficient: the design effect of the mean of what each person adds to its error.
effects <- function(fit, one) {
  adds <- model.matrix(fit) * (resid(fit, "working") * fit$weights)
  deff(svymean(adds %*% fit$naive.cov / weights(one), one, deff = "replace"))
}
told <- function(name, ...) cat(name, sprintf("%.15g", unlist(list(...))), "\n")
exactly <- list(maxit = 1000, epsilon = 1e-13)
drawn <- list(
  strata = svydesign(~1, strata = ~s, weights = ~w, data = d),
  clusters = svydesign(~c, weights = ~one, data = d)
)
# Two waves are two samples: of every second person each.
changed <- function(name, drawn_from) {
  each <- lapply(1:0, function(k) drawn_from(d[seq_len(nrow(d)) %% 2 == k, ]))
  means <- lapply(each, function(one) svymean(~g, one, deff = "replace"))
  v <- sapply(means, function(one) SE(one)^2)
  told(paste(name, "change"), coef(means[[2]]) - coef(means[[1]]), sqrt(sum(v)),
       sum(v) / sum(v / sapply(means, deff)))
}
changed("strata", function(d) svydesign(~1, strata = ~s, weights = ~w, data = d))
changed("clusters", function(d) svydesign(~c, weights = ~one, data = d))
drawn$post <- postStratify(drawn$strata, ~a, margin("a"))
drawn$raked <- rake(drawn$clusters, list(~a, ~b), list(margin("a"), margin("b")), control = exactly)
calibrated <- c(sum(margin("a")$Freq), margin("a")$Freq[-1], margin("b")$Freq[-1])
drawn$calibrated <- calibrate(drawn$strata, ~a + b, calibrated, calfun = "raking", epsilon = 1e-13,
                              maxit = 200)
for (name in names(drawn)) {
  one <- drawn[[name]]
  told(paste(name, "weights"), weights(one)[1:12])
  mean <- svymean(~g, one, deff = "replace")
  told(paste(name, "mean"), coef(mean), SE(mean), deff(mean))
  # R counts clusters; of unequal ones Satterthwaite's approximation counts fewer.
  if (name == "clusters") {
    told(paste(name, "ciprop"), attr(svyciprop(~g, one, method = "mean", df = d$df[1]), "ci"))
  }
  ratio <- svyratio(~u, ~h, one)
  told(paste(name, "ratio"), coef(ratio), SE(ratio))
  scrambled <- svymean(~I(q / 1.5 - 3), one, deff = "replace") # q = W (true + U)
  told(paste(name, "scrambled"), coef(scrambled), SE(scrambled), deff(scrambled))
  compared(name, one)
  lm <- svyglm(k ~ x + a, one)
  told(paste(name, "lm"), coef(lm), SE(lm), effects(lm, one))
  table <- svymean(~t00 + t01 + t10 + t11, one)
  told(paste(name, "table"), coef(table), SE(table))
  glm <- suppressWarnings(svyglm(direct ~ x + a, one, family = quasibinomial,
                                 control = glm.control(epsilon = 1e-13)))
  told(paste(name, "glm"), coef(glm), SE(glm), effects(glm, one))
}
trimmed <- trimWeights(drawn$strata, upper = 1.5 * mean(d$w), strict = TRUE)
told("trimmed weights", weights(trimmed)[1:12])
