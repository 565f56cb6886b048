# Recompute the estimates of this folder from its noisy reports, with base R and nothing else.
#
#   Rscript reproduce.R           checks the files beside it, and ends with status 1 if any differs
#   source("reproduce.R")         gives you the functions below, and checks nothing
#
# For a table of counts of one column, with the chances of each report given each truth:
#
#   items <- rr_design(".")                               # every item of the folder, by its id
#   doped <- items$doped
#   rr_share(doped$counts, doped$channel, 2)              # estimate and standard error
#   rr_interval(doped$counts, doped$channel, truth = 2)   # by the default of deniable
#   rr_mean(items$hours$counts, items$hours$channel, items$hours$numbers)
#
# Every share, mean and standard error is worked out again and compared to 1e-9. The ends of the
# intervals are not searched for again: each is put into the equation that defines it, which must
# change its side there, to 1e-6. If there is a weighted.csv, the weights are made anew from
# margins.csv, and that file is checked in the same way. It shares no code with the program that
# wrote the estimates.

RR_EXACT <- 1e-9        # how far an estimate may be off, relative to itself where it is above 1
RR_END <- 1e-6          # how far an end may be off, relative to the range of what is estimated
RR_MOST_LIKELY <- 1e-9  # how far below its greatest value the log-likelihood of a report may be

# ---------------------------------------------------------------- what a channel says
# `channel` has a row a truth, and in it the chances of its reports.

# What each report adds to an unbiased estimate of the mean of some values, a row for each mean.
rr_contributions <- function(channel, values) {
  values <- matrix(values, ncol = nrow(channel))
  weight <- colSums(channel)
  came <- weight > 0
  root <- sqrt(weight[came])
  parts <- svd(sweep(channel[, came, drop = FALSE], 2, root, "/"))
  smallest <- if (nrow(channel) > 2) 1e-8 else 4 * .Machine$double.eps
  kept <- parts$d > smallest * parts$d[1]
  inverse <- parts$u[, kept, drop = FALSE] %*%
    (t(parts$v[, kept, drop = FALSE]) / parts$d[kept])
  found <- matrix(0, nrow(values), ncol(channel))
  found[, came] <- sweep(values %*% inverse, 2, root, "/")
  found
}

# Of the mean of g over the reports; a truth's reports add `expected` on average. The noise is
# known: no variance is taken for less than what it alone gives to some truth.
rr_standard_error <- function(g, expected, counts, channel) {
  n <- sum(counts)
  if (n == 1) return(NaN)
  sample <- sum((g - sum(g * counts) / n)^2 * counts) / (n - 1)
  noise <- max(min(as.vector(channel %*% g^2) - expected^2), 0)
  sqrt(max(sample, noise) / n)
}

rr_unit <- function(size, place) as.numeric(seq_len(size) == place)

# What is estimated: the mean of `numerator` over the truths, or its ratio to that of `denominator`;
# a share and a mean are ratios to 1. `g` and `h` are what each report adds to the two, `range` what
# is possible, and `level` that of the interval. NaN where the second mean is not above 0.
rr_quantity <- function(counts, channel, numerator, denominator, level = 0.95) {
  both <- rr_contributions(channel, rbind(numerator, denominator))
  is_mean <- all(denominator == 1)
  g <- both[1, ]
  h <- if (is_mean) rep(1, length(g)) else both[2, ]
  people <- sum(h * counts) / sum(counts)
  found <- error <- NaN
  if (isTRUE(people > 0)) {
    found <- sum(g * counts) / sum(counts) / people
    error <- rr_standard_error((g - found * h) / people,
                               (numerator - found * denominator) / people, counts, channel)
  }
  some <- denominator > 0
  possible <- unique(numerator[some] / denominator[some])
  list(counts = counts, channel = channel, numerator = numerator, denominator = denominator,
       level = level, g = g, h = h, is_mean = is_mean, values = length(possible),
       range = range(possible), estimate = found, error = error)
}

# The share of a truth, among those to whom a question applies if a truth is `skipped`.
rr_quantity_share <- function(counts, channel, truth, skipped = NULL, level = 0.95) {
  size <- nrow(channel)
  applies <- if (is.null(skipped)) rep(1, size) else 1 - rr_unit(size, skipped)
  rr_quantity(counts, channel, rr_unit(size, truth), applies, level)
}

rr_quantity_mean <- function(counts, channel, numbers, level = 0.95) {
  given <- !is.na(numbers)
  rr_quantity(counts, channel, ifelse(given, numbers, 0), as.numeric(given), level)
}

# The share of a truth, with its standard error.
rr_share <- function(counts, channel, truth) {
  rr_estimate(rr_quantity_share(counts, channel, truth))
}

# The mean among those whose truth has a number; NA is no number. NaN if perhaps nobody's has.
rr_mean <- function(counts, channel, numbers) {
  rr_estimate(rr_quantity_mean(counts, channel, numbers))
}

# The share of a truth among those to whom a question applies: all but the truth `skipped`. NaN if
# perhaps it applies to nobody.
rr_share_if_applies <- function(counts, channel, truth, skipped) {
  rr_estimate(rr_quantity_share(counts, channel, truth, skipped))
}

rr_estimate <- function(quantity) {
  nothing <- rr_may_be_nothing(quantity$counts, quantity$channel, quantity$denominator)
  c(estimate = if (nothing) NaN else quantity$estimate,
    standard_error = if (nothing) NaN else quantity$error)
}

# Whether the 95 % interval of the share of some truths holds 0: a ratio to it has no estimate.
rr_may_be_nothing <- function(counts, channel, truths) {
  if (all(truths == 1)) return(FALSE)
  share <- rr_quantity(counts, channel, truths, rep(1, length(truths)))
  sum(share$g * counts) <= 0 || rr_excess(share, 0)[1] >= 0
}

# By how much the log-likelihood of a report can exceed that of some shares, at most.
rr_worst_gain <- function(theta, counts, channel) {
  seen <- counts > 0
  chance <- as.vector(theta %*% channel[, seen, drop = FALSE])
  if (!(min(chance) > 0)) return(Inf)
  max(channel[, seen, drop = FALSE] %*% (counts[seen] / sum(counts) / chance)) - 1
}

# ---------------------------------------------------------------- one proportion

# After x of n, the chance of all whose likelihood ratio, of p to the best possible probability, is
# at most that of x: see Feldman and Cousins (1998), section 4.
rr_acceptability <- function(x, n, p, least, greatest) {
  y <- 0:n
  likelihood <- function(p) {
    ifelse(y > 0, y * log(p), 0) + ifelse(y < n, (n - y) * log1p(-p), 0)
  }
  ratio <- likelihood(p) - likelihood(pmin(pmax(y / n, least), greatest))
  sum(dbinom(y[ratio <= ratio[x + 1] + 1e-9], n, p))
}

# Whether the lower end of their interval of a probability is where it should be.
rr_feldman_cousins_end_fits <- function(end, x, n, level, near, least, greatest) {
  if (x <= n * least) return(abs(end - x / n) <= near)  # the interval holds its estimate
  inside <- pmin(end + near * c(1e-6, 1e-4, 1e-2, 0.1, 0.3, 1), greatest)
  outside <- if (end - near > least) seq(end - near, least, length.out = 12) else c()
  accepts <- function(p) rr_acceptability(x, n, p, least, greatest)
  end >= least - near && any(sapply(inside, accepts) >= 1 - level - 1e-9) &&
    all(vapply(outside, accepts, 0) <= 1 - level)
}

# Clopper and Pearson's interval of a probability.
rr_exact_interval <- function(x, n, level) {
  tail <- (1 - level) / 2
  c(if (x <= 0) 0 else qbeta(tail, x, n - x + 1),
    if (x >= n) 1 else qbeta(tail, x + 1, n - x, lower.tail = FALSE))
}

# Where a statement that holds at the start, and not at the stop, ends to hold.
rr_bisect <- function(holds, start, stop, times = 60) {
  for (time in seq_len(times)) {
    middle <- (start + stop) / 2
    if (holds(middle)) start <- middle else stop <- middle
  }
  (start + stop) / 2
}

# Feldman and Cousins's interval, from the outside: the first acceptable value on a fine grid, made
# precise; it holds the estimate.
rr_feldman_cousins_interval <- function(x, n, level, least, greatest) {
  low <- function(x, least, greatest) {
    if (x <= n * least) return(x / n)
    grid <- seq(least, min(x / n, greatest), length.out = 2000)
    accepts <- function(p) rr_acceptability(x, n, p, least, greatest) > 1 - level
    at <- Position(accepts, grid)
    if (at == 1) return(least)
    rr_bisect(function(p) !accepts(p), grid[at - 1], grid[at])
  }
  c(low(x, least, greatest), 1 - low(n - x, 1 - greatest, 1 - least))
}

# ---------------------------------------------------------------- inverted tails
# At a value v, the most likely truths among those of this ratio say how the reports are distributed,
# and the tails are the chances of a sum of g - v h at least as far from 0 as the one that came.

# By how much each tail exceeds half of what the interval may miss: first the upper tail, which
# bounds the interval from below, then the lower tail. Past an end of its range a ratio is ruled out;
# the noise there says how far a mean may lie beyond.
rr_excess <- function(test, v) {
  tail <- (1 - test$level) / 2
  inside <- min(max(v, test$range[1]), test$range[2])
  chance <- rr_likely_reports(test, inside)
  if (is.null(chance)) return(c(-tail, -tail))
  came <- colSums(test$channel) > 0
  g <- (test$g - inside * test$h)[came]
  tails <- rr_tails(test, chance[came], g, test$counts[came], v - inside)
  ruled_out <- !test$is_mean & c(v < inside, v > inside)
  ifelse(ruled_out, 0, tails[2:1]) - tail
}

rr_tails <- function(test, P, g, counts, moved) {
  n <- round(sum(counts))
  sums <- rr_sum_distribution(P, g, n)
  size <- length(sums$chance)
  place <- sum(counts * sums$index) - sums$first - n * moved / sums$step
  nearer <- if (test$values > 2) sqrt(n / (n + 1)) else 1
  drawn <- sums$centre + nearer * (place - sums$centre)  # in the tail on whose side it lies
  last <- floor(min(max(max(place, drawn) + 1e-6, -1), size))
  begin <- ceiling(min(max(min(place, drawn) - 1e-6, 0), size))
  c(if (last < 0) 0 else sum(sums$chance[seq_len(min(last + 1, size))]),
    if (begin >= size) 0 else sum(sums$chance[(begin + 1):size]))
}

# The most likely distribution of the reports at a value, NULL if none has all that came.
rr_likely_reports <- function(test, v) {
  f <- test$numerator - v * test$denominator
  scale <- 1e-12 * (max(f) - min(f))
  zero <- which(abs(f) <= scale)
  f[zero] <- 0
  below <- which(f < -scale)
  above <- which(f > scale)
  if (!identical(unname(test$channel), diag(nrow(test$channel)))) {
    below <- rr_thinned(below, f)
    above <- rr_thinned(above, f)
  }
  used <- if (length(below) && length(above)) c(zero, below, above) else zero
  rows <- test$channel[used, , drop = FALSE]
  if (!length(used) || any(colSums(rows[, test$counts > 0, drop = FALSE]) == 0)) return(NULL)
  as.vector(rr_most_likely(rows, test$counts / sum(test$counts), f[used]) %*% rows)
}

# Of more than 32 truths on a side, evenly many in the order of their values.
rr_thinned <- function(side, f) {
  if (length(side) <= 32) return(side)
  ascending <- side[order(f[side])]
  ascending[round(seq(0, length(side) - 1, length.out = 32)) + 1]
}

# The most likely shares of some truths among those at which f has mean 0, by an interior-point
# method: each step solves the conditions for a maximum, with a barrier that becomes lower.
rr_most_likely <- function(rows, w, f) {
  size <- nrow(rows)
  if (size == 1) return(1)
  R <- rows[, w > 0, drop = FALSE]
  w <- w[w > 0]
  scale <- max(abs(f))
  below <- f < -1e-12 * scale
  above <- f > 1e-12 * scale
  theta <- rep(1, size)
  A <- matrix(1, 1, size)
  if (any(below)) {
    up <- mean(f[above])
    down <- -mean(f[below])
    theta[below] <- up / sum(below) * size / (up + down)
    theta[above] <- down / sum(above) * size / (up + down)
    A <- rbind(A, f / scale)
  }
  theta <- theta / sum(theta)
  z <- 1 / (size * theta)
  none <- matrix(0, nrow(A), nrow(A))
  for (time in 1:300) {
    mu <- sum(theta * z) / size
    if (mu < 1e-17) break
    P <- as.vector(theta %*% R)
    target <- 0.1 * mu
    H <- sweep(R, 2, w / P^2, "*") %*% t(R) + diag(z / theta, size)
    slope <- as.vector(R %*% (w / P)) + target / theta
    system <- rbind(cbind(H, t(A)), cbind(A, none))
    step <- solve(system, c(slope, rep(0, nrow(A))), tol = 0)[seq_len(size)]
    change <- (target - z * step) / theta - z
    part <- min(rr_room(theta, step), rr_room(z, change))
    theta <- theta + part * step
    z <- z + part * change
  }
  theta
}

# How much of a step leaves everything above 0.
rr_room <- function(x, step) {
  falls <- step < 0
  if (any(falls)) min(1, 0.99 * min(-x[falls] / step[falls])) else 1
}

# The distribution of the sum of g over n reports, by the fast Fourier transform: g is rounded to a
# multiple, `index`, of `step`; `chance` is that of the sums `first`, `first` + 1 and so on.
rr_sum_distribution <- function(P, g, n) {
  centre <- sum(P * g)
  variance <- sum(P * (g - centre)^2)
  greatest <- max(g) - min(g)
  c <- log(2 / 1e-13)  # Bernstein: the sum is outside of the window with a chance of 1e-13
  reach <- greatest * c / 3 + sqrt((greatest * c / 3)^2 + 2 * n * variance * c)
  reach <- min(reach, n * greatest)
  if (reach == 0) reach <- 1
  steps <- 2^11
  repeat {
    step <- 2 * reach / (steps - 4)
    index <- ceiling((g - min(g)) / step - 0.5 - 1e-6)  # of halves the lower
    lost <- g - step * index
    if (sum(P * lost^2) - sum(P * lost)^2 <= 1e-3 * variance || steps == 2^20) break
    steps <- 2 * steps
  }
  one <- rep(0, steps)
  for (report in seq_along(P)) {
    at <- index[report] %% steps + 1
    one[at] <- one[at] + P[report]
  }
  power <- fft(one)
  power <- complex(modulus = Mod(power)^n, argument = (n * Arg(power)) %% (2 * pi))
  chance <- Re(fft(power, inverse = TRUE)) / steps
  middle <- n * sum(P * index)
  first <- round(middle) - steps / 2
  turn <- first %% steps
  if (turn > 0) chance <- chance[c((turn + 1):steps, 1:turn)]
  list(step = step, index = index, first = first, chance = chance, centre = middle - first)
}

# Whether an end, the lower (1) or the upper (2), is where the tail says.
rr_end_fits <- function(test, end, side) {
  limit <- test$range[side]
  span <- test$range[2] - test$range[1]
  if (test$is_mean) span <- max(span, abs(test$estimate - limit))
  # Two sums are the same if they differ by less than a millionth of a step.
  ties <- 2e-9 * diff(range(test$g[colSums(test$channel) > 0]))
  near <- (1.01 * RR_END * (span + abs(end)) + ties) * (if (side == 2) 1 else -1)
  # That of a mean holds its estimate, wherever that is, and may hold nothing else. That of a ratio
  # is all that is possible where no value agrees with the reports.
  holds <- test$is_mean && abs(end - test$estimate) <= abs(near) ||
    rr_excess(test, end - near)[side] >= 0 ||
    (abs(end - limit) <= abs(near) &&
       (rr_excess(test, limit)[side] >= -1e-9 ||
          !test$is_mean && is.nan(rr_agreeing(test))))
  holds && rr_excess(test, end + near)[side] < 0
}

# A possible ratio that the reports do not reject; NaN if none is found.
rr_agreeing <- function(test) {
  inside <- min(max(test$estimate, test$range[1]), test$range[2])
  if (!is.nan(test$estimate) && min(rr_excess(test, inside)) >= 0) return(inside)
  theta <- rr_most_likely(test$channel, test$counts / sum(test$counts), 0 * test$numerator)
  people <- sum(theta * test$denominator)
  if (!(people > 1e-9)) return(NaN)
  value <- sum(theta * test$numerator) / people
  if (min(rr_excess(test, value)) >= 0) value else NaN
}

# The interval of a mean or a share, by a search; that of a ratio is inside its range.
rr_tail_interval <- function(test) {
  width <- test$range[2] - test$range[1]
  end <- function(side, step) {
    limit <- test$range[side]
    if (!test$is_mean) {
      inside <- rr_agreeing(test)
      if (is.nan(inside) || rr_excess(test, limit)[side] >= 0) return(limit)
      return(rr_bisect(function(v) rr_excess(test, v)[side] >= 0, inside, limit, 30))
    }
    outside <- test$estimate + step
    while (rr_excess(test, outside)[side] >= 0) outside <- outside + step
    rr_bisect(function(v) rr_excess(test, v)[side] >= 0, test$estimate, outside, 30)
  }
  c(end(1, -width), end(2, width))
}

# ---------------------------------------------------------------- an interval, for your own data

# The interval of a truth's share, or of the mean of `numbers`: Feldman and Cousins's where one
# proportion tells it, and inverted tails elsewhere.
rr_interval <- function(counts, channel, truth = NULL, numbers = NULL, level = 0.95) {
  quantity <- if (is.null(numbers)) rr_quantity_share(counts, channel, truth, level = level)
              else rr_quantity_mean(counts, channel, numbers, level)
  told <- rr_proportion(quantity)
  if (!is.null(told)) {
    possible <- (quantity$range - told$low) / (told$high - told$low)
    p <- rr_feldman_cousins_interval(told$x, told$n, level, possible[1], possible[2])
    return(c(low = told$low + (told$high - told$low) * p[1],
             high = told$low + (told$high - told$low) * p[2]))
  }
  ends <- rr_tail_interval(quantity)
  c(low = ends[1], high = ends[2])
}

# The two values that a report can add, how often the greater came, and n; NULL if there are more.
rr_proportion <- function(quantity) {
  if (!quantity$is_mean) return(NULL)
  came <- colSums(quantity$channel) > 0
  g <- quantity$g[came]
  counts <- quantity$counts[came]
  steps <- diff(sort(g)) > 1e-9 * (max(g) - min(g))
  if (sum(steps) != 1) return(NULL)
  large <- g > (min(g) + max(g)) / 2
  list(low = mean(g[!large]), high = mean(g[large]), x = sum(counts[large]), n = sum(counts))
}

# ---------------------------------------------------------------- the files

rr_read <- function(folder, name) {
  file <- file.path(folder, name)
  if (!any(nzchar(readLines(file, n = 1)))) return(data.frame())  # no column is published
  read.csv(file, colClasses = "character", na.strings = character(0),
           check.names = FALSE, encoding = "UTF-8")
}

# The wave of each report.
rr_waves <- function(folder, reports) {
  in_waves <- "wave" %in% names(rr_read(folder, "estimates.csv"))
  if (in_waves) sub("^wave_", "", reports$wave) else rep("all", nrow(reports))
}

# Every item of a folder: its channel, what its truths count for, and how often each report came.
# `counts_in` has the counts of each wave; without waves the only one is called "all".
rr_design <- function(folder = ".") {
  codebook <- rr_read(folder, "codebook.csv")
  channels <- rr_read(folder, "channels.csv")
  reports <- rr_read(folder, "reports.csv")
  waves <- rr_waves(folder, reports)
  ids <- unique(channels$item)  # the codebook has the column of the wave as well
  items <- lapply(ids, function(id) {
    rows <- codebook[codebook$item == id, ]
    rr_item(rows, channels[channels$item == id, ], reports, waves)
  })
  names(items) <- ids
  items
}

rr_item <- function(rows, weights, reports, waves) {
  truths <- rows$code[rows$role == "truth"]
  codes <- rows$code[rows$role == "report"]
  channel <- matrix(0, length(truths), length(codes))
  channel[cbind(match(weights$truth, truths), match(weights$report, codes))] <-
    as.numeric(weights$weight) / 2^32
  # Several columns of questions that were randomised as one answer: their cells are joined.
  columns <- if (rows$published[1] != "no") strsplit(rows$column[1], "+", fixed = TRUE)[[1]]
  sent <- c()
  if (length(columns)) {
    sent <- match(do.call(paste, c(unname(as.list(reports[columns])), sep = "+")), codes)
  }
  counts_in <- if (length(sent)) lapply(split(sent, waves), tabulate, length(codes))
  skipped <- which(rows$skipped[rows$role == "truth"] == "true")
  list(published = rows$published[1], truths = truths, channel = channel,
       numbers = as.numeric(ifelse(rows$number == "", NA, rows$number))[rows$role == "truth"],
       skipped = if (length(skipped)) skipped else NULL,
       direct = rows$protection[1] == "direct", sent = sent, counts_in = counts_in,
       counts = if (length(counts_in)) Reduce(`+`, counts_in) else NULL)
}

rr_quantity_of <- function(row, item, counts) {
  level <- as.numeric(row$level)
  if (endsWith(row$statistic, "mean")) {
    return(rr_quantity_mean(counts, item$channel, item$numbers, level))
  }
  truth <- match(row$answer, item$truths)
  if (!endsWith(row$statistic, "share_if_applies")) {
    return(rr_quantity_share(counts, item$channel, truth, level = level))
  }
  if (item$direct && !startsWith(row$statistic, "change")) {  # who was asked is known, so that they are a sample by themselves
    return(rr_quantity_share(counts[-item$skipped], diag(length(item$truths) - 1),
                             truth - (item$skipped < truth), level = level))
  }
  rr_quantity_share(counts, item$channel, truth, item$skipped, level)
}

# ---------------------------------------------------------------- weights

# Of the rows of each wave that are weighed: what each counts for, and its answer to each margin.
rr_samples <- function(folder, items) {
  margins <- rr_read(folder, "margins.csv")
  people <- suppressWarnings(as.numeric(margins$people))
  for (at in seq_along(people)) {
    if (is.na(people[at]) || !margins$answer[at] %in% items[[margins$question[at]]]$truths) {
      stop(sprintf("margins.csv, line %d: expected question, answer and people, found %s", at + 1,
                   toString(margins[at, ])))
    }
  }
  reports <- rr_read(folder, "reports.csv")
  waves <- rr_waves(folder, reports)
  names <- unique(margins$question)
  groups <- lapply(items[names], function(item) item$sent)
  parts <- lapply(names, function(name) {
    own <- margins[margins$question == name, ]
    as.numeric(own$people)[match(items[[name]]$truths, own$answer)]
  })
  known <- Reduce(`&`, lapply(groups, function(group) !is.na(group)))
  lapply(split(which(known), waves[known]), function(rows) {
    of <- lapply(groups, function(group) group[rows])
    w <- rep(1, length(rows))
    for (time in 1:1000) {
      before <- w
      for (at in seq_along(of)) {
        sums <- vapply(seq_along(parts[[at]]), function(one) sum(w[of[[at]] == one]), 0)
        w <- w * (parts[[at]] * length(rows) / sums)[of[[at]]]
      }
      if (max(abs(w - before)) <= 1e-13) break
    }
    list(rows = rows, weights = w, groups = of)
  })
}

# Standard error and design effect, and the same of people who count alike and tell as much.
rr_weighted <- function(sample, item, quantity, method) {
  sent <- item$sent[sample$rows]
  if (length(quantity$counts) < ncol(item$channel)) {
    sent <- ifelse(sent == item$skipped, NA, sent - (sent > item$skipped))
  }
  asked <- !is.na(sent)
  w <- ifelse(asked, sample$weights, 0)
  people <- sum(w)
  divisor <- sum(w[asked] * quantity$h[sent[asked]])
  # What each adds to the error, less what the margins explain, by least squares.
  apart <- ifelse(asked, (quantity$g - quantity$estimate * quantity$h)[sent], 0) / divisor
  of <- do.call(cbind, lapply(sample$groups, function(group) outer(group, unique(group), `==`)))
  known <- w * apart / sample$weights  # nothing is, where there is no estimate
  z <- sample$weights * if (anyNA(known)) known else qr.resid(qr(of + 0), known)
  expected <- quantity$numerator - quantity$estimate * quantity$denominator
  noise <- quantity$channel %*% (quantity$g - quantity$estimate * quantity$h)^2 - expected^2
  least <- max(min(noise), 0) / divisor^2
  variance <- max(length(z) / (length(z) - 1) * sum((z - mean(z))^2), least * sum(w^2))
  n <- sum(asked)
  single <- people * sum(w * apart^2) * n / max(n - 1, 1)
  # What all have in common has no effect, and what the margins fix has none either.
  differs <- isTRUE(single > RR_EXACT^2 * max(quantity$estimate^2, 1))
  effect <- if (differs) variance * n / single else NaN
  kish <- people^2 / sum(w^2)
  df <- sum(w^2)^2 / sum(w^4) - 1
  size <- if (isTRUE(variance > 0)) min(kish, max(single, people^2 * least) / variance) else kish
  tail <- (1 - quantity$level) / 2
  if (df > 0) size <- size * (qt(tail, max(n - 1, df)) / qt(tail, df))^2
  if (method == "tail") size <- max(floor(size), 1)
  quantity$counts <- quantity$counts * size / sum(quantity$counts)
  quantity$error <- sqrt(variance)
  quantity$effect <- if (isTRUE(effect >= RR_EXACT)) effect else NaN
  quantity
}

# Whether a quantity is a ratio, and so without an estimate, to what may be nothing.
rr_divided_by_nothing <- function(quantity, item, sample = NULL) {
  truths <- quantity$denominator
  if (is.null(sample) || quantity$is_mean) {
    return(rr_may_be_nothing(quantity$counts, quantity$channel, truths))
  }
  share <- rr_quantity(quantity$counts, quantity$channel, truths, rep(1, length(truths)))
  one <- !is.null(rr_proportion(share))
  share <- rr_weighted(sample, item, share, if (one) "exact" else "tail")
  if (!one) return(rr_may_be_nothing(share$counts, share$channel, truths))
  told <- rr_proportion(share)
  low <- rr_exact_interval(told$x, told$n, 0.95)[1]
  told$low + (told$high - told$low) * low <= RR_EXACT
}

# ---------------------------------------------------------------- the checks

# Check the files of a folder; returns what passed, what differs and what could not be checked.
rr_check <- function(folder = ".", file = "estimates.csv") {
  rows <- rr_read(folder, file)
  items <- rr_design(folder)
  samples <- if (file == "weighted.csv") rr_samples(folder, items)
  found <- new.env()
  found$passed <- c()
  found$failed <- c()
  found$left_out <- c()
  told <- function(kind, fits, what) {
    if (isTRUE(fits)) found$passed <- c(found$passed, kind) else found$failed <- c(found$failed, what)
  }
  same <- function(where, name, value, expected) {
    fits <- if (value == "") is.nan(expected)
            else abs(as.numeric(value) - expected) <= RR_EXACT * max(1, abs(expected))
    told(name, fits, sprintf("%s: %s %s, expected %.17g", where, name, value, expected))
  }
  if (length(samples)) {
    items <- lapply(items, function(item) {
      item$counts_in <- lapply(samples, function(sample) {
        sent <- item$sent[sample$rows]
        vapply(seq_len(ncol(item$channel)), function(one) sum(sample$weights[sent %in% one]), 0)
      })
      item
    })
    given <- rr_read(folder, "reports.csv")$Weight
    weights <- rep(NaN, length(given))
    for (sample in samples) weights[sample$rows] <- sample$weights
    for (line in seq_along(given)) {
      same(sprintf("reports.csv, line %d", line + 1), "weight", given[line], weights[line])
    }
  }
  for (line in seq_len(nrow(rows))) {
    row <- as.list(rows[line, ])
    item <- items[[row$item]]
    if (item$published != "yes") {
      found$left_out <- union(found$left_out, sprintf(
        "%s: not checked, because its column is not published", row$item))
      next
    }
    where <- sprintf("line %d (%s %s %s)", line + 1, row$item, row$answer, row$statistic)
    check <- if (startsWith(row$statistic, "change")) rr_check_change else rr_check_one
    wave <- if (is.null(row$wave)) "all" else row$wave
    check(where, row, item, same, told, if (is.null(samples)) NULL else samples[c(row$since, wave)])
  }
  rr_check_most_likely(rows, items, told)
  as.list(found)
}

rr_check_one <- function(where, row, item, same, told, samples) {
  sample <- samples[[length(samples)]]
  wave <- if (is.null(row$wave)) "all" else row$wave
  counts <- item$counts_in[[wave]]
  if (is.null(counts)) counts <- rep(0, ncol(item$channel))
  n <- if (is.null(sample)) sum(counts) else sum(!is.na(item$sent[sample$rows]))
  same(where, "n", row$n, n)
  if (sum(counts) == 0 || (row$estimate == "" && row$low == "")) return()
  quantity <- rr_quantity_of(row, item, counts)
  nothing <- rr_divided_by_nothing(quantity, item, sample)
  if (!is.null(sample)) {
    quantity <- rr_weighted(sample, item, quantity, row$method)
    if (nothing) quantity$effect <- NaN
    same(where, "design_effect", row$design_effect, quantity$effect)
    same(where, "effective_n", row$effective_n, n / quantity$effect)
  }
  estimate <- if (nothing) NaN else quantity$estimate
  same(where, "estimate", row$estimate, estimate)
  same(where, "standard_error", row$standard_error, if (nothing) NaN else quantity$error)
  same(where, "clipped", row$clipped,
       min(max(estimate, quantity$range[1]), quantity$range[2]))
  if (row$observed != "") {
    place <- match(row$answer, item$truths)
    if (length(quantity$counts) < length(counts)) place <- place - (item$skipped < place)
    same(where, "observed", row$observed, quantity$counts[place] / sum(quantity$counts))
  }
  if (row$low == "") return()
  rr_check_narrow(where, row, quantity$range, told)
  for (side in 1:2) {
    name <- c("low", "high")[side]
    end <- as.numeric(row[[name]])
    fits <- if (row$method %in% c("feldman-cousins", "exact")) {
      rr_one_fits(quantity, row$method, end, side)
    } else if (row$method %in% c("wald", "set by the weights")) {
      abs(end - quantity$estimate) <= RR_END && is.nan(quantity$effect)
    } else rr_end_fits(quantity, end, side)
    told(sprintf("ends of %s intervals", row$method), fits, sprintf("%s: %s %s", where, name, end))
  }
}

# Less than a third of an interval is possible.
rr_check_narrow <- function(where, row, range, told) {
  ends <- as.numeric(c(row$low, row$high))
  if (row$estimate != "") ends <- range(ends, as.numeric(row$estimate))  # a ratio's may lie outside
  possible <- c(max(ends[1], range[1]), min(ends[2], range[2]))
  expected <- row$method != "feldman-cousins" && any(possible != range) &&
    diff(possible) < diff(ends) / 3
  told("narrow", (row$narrow == "true") == expected, sprintf("%s: narrow", where))
}

rr_one_fits <- function(quantity, method, end, side) {
  one <- rr_proportion(quantity)
  level <- quantity$level
  if (is.null(one)) return(FALSE)
  if (method == "exact") {
    expected <- one$low + (one$high - one$low) * rr_exact_interval(one$x, one$n, level)[side]
    return(abs(end - expected) <= RR_END * (diff(quantity$range) + abs(end)))
  }
  p <- (c(end, quantity$range) - one$low) / (one$high - one$low)
  near <- RR_END * (p[3] - p[2])
  if (side == 1) rr_feldman_cousins_end_fits(p[1], one$x, one$n, level, near, p[2], p[3])
  else rr_feldman_cousins_end_fits(1 - p[1], one$n - one$x, one$n, level, near, 1 - p[3], 1 - p[2])
}

rr_check_change <- function(where, row, item, same, told, samples) {
  if (row$estimate == "" && row$low == "") return()
  allowed <- 1 - as.numeric(row$level)
  row$level <- 1 - allowed / as.numeric(row$comparisons)
  each <- lapply(c(row$since, row$wave), function(wave) {
    quantity <- rr_quantity_of(row, item, item$counts_in[[wave]])
    quantity$nothing <- rr_divided_by_nothing(quantity, item, samples[[wave]])
    if (is.null(samples)) quantity else rr_weighted(samples[[wave]], item, quantity, row$method)
  })
  before <- each[[1]]
  after <- each[[2]]
  nothing <- before$nothing || after$nothing
  change <- if (nothing) NaN else after$estimate - before$estimate
  error <- if (nothing) NaN else sqrt(before$error^2 + after$error^2)
  same(where, "estimate", row$estimate, change)
  same(where, "standard_error", row$standard_error, error)
  if (row$low == "") return()
  beyond <- as.numeric(row$low) > 0 || as.numeric(row$high) < 0
  told("p-values of changes", beyond == (as.numeric(row$p_value) < allowed),
       sprintf("%s: p_value %s", where, row$p_value))
  rr_check_narrow(where, row, c(-1, 1) * diff(after$range), told)
  ends <- lapply(list(before, after), function(quantity) {
    if (row$method == "tail") return(rr_tail_interval(quantity))
    one <- rr_proportion(quantity)
    one$low + (one$high - one$low) * rr_exact_interval(one$x, one$n, quantity$level)
  })
  low <- ends[[2]][1] - ends[[1]][2]
  high <- ends[[2]][2] - ends[[1]][1]
  if (!nothing) {
    low <- change - sqrt(max(after$estimate - ends[[2]][1], 0)^2 +
                           max(ends[[1]][2] - before$estimate, 0)^2)
    high <- change + sqrt(max(ends[[2]][2] - after$estimate, 0)^2 +
                            max(before$estimate - ends[[1]][1], 0)^2)
  }
  if (!after$is_mean) {
    low <- max(low, -diff(after$range))
    high <- min(high, diff(after$range))
  }
  for (name in c("low", "high")) {
    end <- if (name == "low") low else high
    # The tails of a ratio rise and fall in small steps, so that another search ends a step away.
    part <- if (after$is_mean) 4 * RR_END else 0.005
    near <- part * (after$range[2] - after$range[1] + abs(end))
    told("ends of changes", abs(as.numeric(row[[name]]) - end) <= near,
         sprintf("%s: %s %s, expected %.17g", where, name, row[[name]], end))
  }
}

# Of the most likely shares no others are more likely.
rr_check_most_likely <- function(rows, items, told) {
  rows$line <- seq_len(nrow(rows)) + 1
  rows$of <- paste(rows$item, if (is.null(rows$wave)) "all" else rows$wave)
  some <- rows[rows$maximum_likelihood != "", ]
  for (of in unique(some$of)) {
    group <- some[some$of == of, ]
    item <- items[[group$item[1]]]
    shares <- group[group$statistic == "share", ]
    if (item$published != "yes" || nrow(shares) < length(item$truths)) next
    counts <- item$counts_in[[if (is.null(rows$wave)) "all" else shares$wave[1]]]
    theta <- as.numeric(shares$maximum_likelihood)
    fits <- min(theta) >= -RR_EXACT && abs(sum(theta) - 1) <= RR_EXACT &&
      rr_worst_gain(theta, counts, item$channel) <= RR_MOST_LIKELY
    told("most likely distributions", fits,
         sprintf("line %d (%s): maximum_likelihood", shares$line[1], shares$item[1]))
    for (at in which(group$statistic != "share")) {
      row <- group[at, ]
      given <- !is.na(item$numbers)
      expected <- if (row$statistic == "mean") sum((theta * item$numbers)[given]) / sum(theta[given])
                  else theta[match(row$answer, item$truths)] / (1 - theta[item$skipped])
      fits <- abs(as.numeric(row$maximum_likelihood) - expected) <= RR_END * max(1, abs(expected))
      told("numbers from them", fits, sprintf("line %d (%s %s %s): maximum_likelihood", row$line,
                                              row$item, row$answer, row$statistic))
    }
  }
}

rr_main <- function(folder, file = "estimates.csv") {
  found <- rr_check(folder, file)
  for (kind in sort(unique(found$passed))) {
    cat(sprintf("%6d %s: the same\n", sum(found$passed == kind), kind))
  }
  for (what in found$left_out) cat(sprintf("       %s\n", what))
  for (what in found$failed) cat(sprintf("DIFFERS: %s\n", what))
  cat(if (length(found$failed)) sprintf("%d differ.\n", length(found$failed))
      else "All is as it should be.\n")
  failed <- length(found$failed) > 0
  if (file == "weighted.csv" || !file.exists(file.path(folder, "weighted.csv"))) return(failed)
  cat("weighted.csv\n")
  rr_main(folder, "weighted.csv") || failed
}

if (sys.nframe() == 0L) {
  given <- commandArgs(trailingOnly = TRUE)
  self <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  quit(status = as.integer(rr_main(if (length(given)) given[1] else dirname(self))))
}
