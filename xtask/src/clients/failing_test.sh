#!/bin/sh
# Prints what a failing `cargo test` printed, recorded with 300 tests and extended to 20,000. As there, a line of cargo's
# own comes some time before or after the output of the tests: agents read two pipes, and mix lines that come at once.
cat <<'END' >&2
   Compiling orders v0.1.0 (/home/user/orders)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 6.45s
     Running unittests src/lib.rs (target/debug/deps/orders-300cfb589640ba2b)
END
sleep 0.5
printf '\nrunning 20001 tests\n'
seq -f 'test tests::case_%05.0f ... ok' 0 19999
cat <<'END'
test tests::discount_is_a_percentage ... FAILED

failures:

---- tests::discount_is_a_percentage stdout ----

thread 'tests::discount_is_a_percentage' (4117) panicked at src/lib.rs:20:9:
assertion `left == right` failed: 5 % of an order of 10.00
  left: 500
 right: 950
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    tests::discount_is_a_percentage

test result: FAILED. 20000 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.13s

END
sleep 0.5
echo 'error: test failed, to rerun pass `--lib`' >&2
exit 101
