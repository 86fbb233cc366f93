/*!
 * Kites that fly by themselves.
 * Copyright(c) 2024 Somebody
 */

'use strict';

/**
 * Module dependencies.
 * @private
 */

var debug = require('debug')('kites');
var resolve = require('path').resolve;
const { join } = require('path'), fs = require('fs');

/** A kite. */
function Kite(size) {
  this.size = size;
}

/** Lets it rise. */
Kite.prototype.rise = function (wind) {
  return join(resolve(wind), debug, fs);
};

const fold = (kite) => kite.size;

window.Kite = Kite;

module.exports = {
  Kite,
  fold,
  /** Ties a knot. */
  tie(line) {
    return line;
  },
  cut: function (line) {
    return line;
  },
  LONGEST: 40,
  ...fold,
};
