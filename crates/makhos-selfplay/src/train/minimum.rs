//! Finding the lowest place of a function of one number.

/// The place between `low` and `high`, to within `close`, at which a function is lowest that first falls and then
/// rises.
pub(super) fn minimum(
    mut low: f64,
    mut high: f64,
    close: f64,
    mut function: impl FnMut(f64) -> f64,
) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (function(left), function(right));
    while high - low > close {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = function(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = function(right);
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_places_are_found_inside_and_at_the_ends() {
        let found = minimum(-5.0, 9.0, 1e-6, |x| (x - 1.25) * (x - 1.25));
        assert!((found - 1.25).abs() < 1e-5, "{found}");
        assert!((minimum(2.0, 3.0, 1e-6, |x| x) - 2.0).abs() < 1e-5);
        assert!((minimum(2.0, 3.0, 1e-6, |x| -x) - 3.0).abs() < 1e-5);
    }
}
