# Tides at the coast.

library(stats)
source("moon.R")

MAX_TIDE <- 12
.hidden <- 1

#' Height of the tide.
#'
#' @param hour when
tide <- function(hour, place = "north", ...) {
  inner <- function(x) x
  inner(hour)
}

low = function(day) {
  day
}

ebb <- \(x) x + 1

setClass("Coast", representation(name = "character", length = "numeric"))

setGeneric("wave", function(object, ...) standardGeneric("wave"))

.secret <- function() NULL
