import { readFileSync, writeFileSync } from 'node:fs';

/** An entry of a list of faults: in this file the text `before` becomes `after`. */
export function fault(file, before, after, what) {
  return { file, before, after, what };
}

/** Runs `count` while a text in the file is replaced by another; gives its result, or `all` if it throws. */
export function withFault(file, before, after, count) {
  const text = readFileSync(file, 'utf8');
  if (text.split(before).length !== 2)
    throw new Error(`${file} has "${before}" not once: the list of faults is out of date`);
  writeFileSync(
    file,
    text.replace(before, () => after),
  );
  try {
    return count();
  } catch {
    // What throws is noticed.
    return 'all';
  } finally {
    writeFileSync(file, text);
  }
}
