// A page that shows kites.
import kites from "./kites.mjs";

const hidden = { a: { b: 1 } };

export default {
  name: "kites",
  props: ["size", "wind"],
  data() {
    return { kites, hidden };
  },
  methods: {
    fly(kite) {
      return kite;
    },
    land: function () {},
    slow: true,
  },
};
