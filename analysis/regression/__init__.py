"""Regression with a randomised response: what the truth depends on, from reports alone.

`regress` takes a yes-or-no truth, `regress_multinomial` one of k answers, from arrays;
`regress_formula` takes both, from a data frame and a formula. `regress_mean` takes a number, of
which reports need tell the mean alone, and `regress_mean_formula` the same from a formula.
`regress_mixed` and `regress_mixed_formula` give each group of people an intercept of its own. The
others' results, `Fit` and `MultinomialFit`, are asked for covariances, intervals, tests,
predictions and goodness of fit. `regress_on_randomised` is the other way round: randomised items as
predictors.

====================  ===========================================================================
`binary`              `regress`: a yes-or-no truth
`multinomial`         `regress_multinomial`: a truth of k answers
`linear`              `regress_mean`: the mean of a number
`mixed`               `regress_mixed`: a random intercept for each group, such as schools
`formula`             `regress_formula`: each of them, from a data frame and a formula
`predictors`          `regress_on_randomised`: randomised items as predictors
`fit`                 what a fit is asked for
`inference`           covariances, tests, profile intervals
`prediction`          predicted probabilities, odds ratios and marginal effects
`goodness`            goodness of fit
`design`              covariates, channels and arms, checked
`links`, `truth`      P(truth | covariates) and its derivatives
`likelihood`          the log-likelihood of the reports, its score and information
`grouped`             the same with random intercepts integrated out
`latent_class`        the same where the truth is a predictor
`latent_search`       its greatest maximum
`latent_profile`      intervals of a coefficient there, by profile likelihood
`formulas`            formulas read, and the tables that they make of data
`searching`           the greatest of several maxima
`maximise`            the maximum, certified, or the direction in which there is none
====================  ===========================================================================
"""
