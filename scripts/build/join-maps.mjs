// One source map for texts that stand one after the other in a file. Node reads no map that is made of sections.
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** `sections` are maps with the line, from 0, at whose begin their text stands; in the order of these lines. */
export function joinMaps(sections) {
  const [sources, names] = [[], []];
  // Each number of a mapping is the difference to that of the mapping before: source, line, column, name.
  let before = [0, 0, 0, 0];
  let mappings = '';
  let at = 0;
  for (const { line, map } of sections) {
    const base = [sources.length, 0, 0, names.length];
    const here = [0, 0, 0, 0];
    const isMet = [false, false, false, false];
    const moved = map.mappings.replaceAll(/[^,;]+/g, (mapping) => {
      const [generated, ...places] = numbersOf(mapping);
      const told = places.map((difference, i) => {
        here[i] += difference;
        if (isMet[i]) return difference;
        isMet[i] = true;
        return base[i] + here[i] - before[i];
      });
      return [generated, ...told].map(textOf).join('');
    });
    mappings += ';'.repeat(line - at) + moved;
    at = line + moved.split(';').length - 1;
    before = before.map((value, i) => (isMet[i] ? base[i] + here[i] : value));
    sources.push(...map.sources);
    names.push(...map.names);
  }
  return { version: 3, sources, names, mappings };
}

/** Numbers in base 64, five bits a digit, the lowest first; the lowest bit of a number is its sign. */
function numbersOf(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const digit of text) {
    const bits = digits.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function textOf(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const bits = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? bits | 32 : bits];
  } while (rest > 0);
  return text;
}
