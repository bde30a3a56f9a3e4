#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lacuna_fuzz::json_schema(input));
