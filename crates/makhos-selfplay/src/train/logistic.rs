//! The logistic loss, from arithmetic alone: it is the same bits on every machine, and a loop of it is
//! vectorised.

/// The cross-entropy of a target and the probability that has this logit, and that probability.
#[inline(always)]
pub(super) fn cross_entropy(logit: f32, target: f32) -> (f32, f32) {
    let small = exp(-logit.abs());
    let likely = 1.0 / (1.0 + small);
    let probability = if logit < 0.0 { small * likely } else { likely };
    (logit.max(0.0) - target * logit + ln_1p(small), probability)
}

/// The exponential of a number that is not positive; less than -87 counts as -87.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 leaves no room for a fraction: the lowest bits are the nearest whole number.
    const WHOLE: f32 = 12_582_912.0;
    // The logarithm of 2 in two parts; multiples of the first are exact.
    const LN2_HIGH: f32 = 355.0 / 512.0;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = x.max(-87.0);
    let shifted = x * std::f32::consts::LOG2_E + WHOLE;
    let power = shifted - WHOLE;
    let rest = x - power * LN2_HIGH - power * LN2_LOW;
    // The series; the rest is less than 0.35.
    let mut sum = 1.0 / 5_040.0;
    for divisor in [720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0_f32] {
        sum = sum * rest + 1.0 / divisor;
    }
    sum * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

/// `ln(1 + x)` for a number within 0 and 1.
#[inline(always)]
fn ln_1p(x: f32) -> f32 {
    // 2 * atanh(z), whose series is short since z is at most 1/3.
    let z = x / (2.0 + x);
    let square = z * z;
    let mut sum = 1.0 / 15.0;
    for divisor in [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0_f32] {
        sum = sum * square + 1.0 / divisor;
    }
    2.0 * z * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_are_as_good_as_the_type() {
        for step in 0..=8_600 {
            let x = -step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 5e-7, "{x}: {error}");
            let x = step as f32 / 8_600.0;
            let error = (f64::from(ln_1p(x)) - f64::from(x).ln_1p()).abs();
            assert!(error <= 3e-7 * f64::from(x), "{x}: {error}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn large_and_small_logits() {
        let (loss, probability) = cross_entropy(200.0, 1.0);
        assert!(loss < 1e-30 && probability == 1.0);
        assert_eq!(cross_entropy(-200.0, 1.0).0, 200.0);
        let (loss, probability) = cross_entropy(0.0, 0.3);
        assert!((loss - 2.0_f32.ln()).abs() < 1e-6 && probability == 0.5);
        assert!((cross_entropy(-1.5, 0.2).1 - 0.182_425_5).abs() < 1e-6);
        assert!(cross_entropy(f32::NAN, 0.5).0.is_nan());
    }
}
