//! Puts lists in order in little code. The sorts of the standard library are quicker, and
//! each type that they sort adds several kilobytes to what a browser has to load.

/// Sorts a list by comb sort, where `comes_after` says so of two elements. Equal ones may
/// change places: see <https://en.wikipedia.org/wiki/Comb_sort>.
pub fn sort_by<T>(list: &mut [T], comes_after: impl Fn(&T, &T) -> bool) {
    let (mut gap, mut moved) = (list.len(), true);
    while gap > 1 || moved {
        gap = (gap * 10 / 13).max(1);
        moved = false;
        for at in gap..list.len() {
            if comes_after(&list[at - gap], &list[at]) {
                list.swap(at - gap, at);
                moved = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    proptest::proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(list: Vec<u8>) {
            let (mut ours, mut theirs) = (list.clone(), list);
            super::sort_by(&mut ours, |a, b| a > b);
            theirs.sort_unstable();
            proptest::prop_assert_eq!(ours, theirs);
        }
    }
}
