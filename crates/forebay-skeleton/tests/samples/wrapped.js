/* Wind, for browsers and others. */
(function (root, factory) {
  if (typeof define === "function" && define.amd) {
    define(["exports"], factory);
  } else {
    factory(root);
  }
}(this, function (exports) {
  "use strict";

  /** Measures the wind. */
  function measure(place) {
    return place;
  }

  exports.measure = measure;
  exports.blow = function (strength) {
    return strength;
  };
}));
