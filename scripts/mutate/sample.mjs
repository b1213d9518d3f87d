/** `count` of the list after the first `from`, in an order that the seed alone decides. */
export function sample(all, from, count, seed) {
  const random = mulberry32(seed);
  const rest = [...all];
  const taken = Array.from(
    { length: Math.min(from + count, rest.length) },
    () => rest.splice(Math.floor(random() * rest.length), 1)[0],
  );
  return taken.slice(from);
}

/** Numbers in [0, 1) that look random, of one 32-bit state. */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
