import type { DiagnosticBag } from '../../diagnostics/bag.ts';

/** Failures are not remembered: each run tells them again. */
export function cached<IR extends object, T>(
  make: (ir: IR, bag: DiagnosticBag) => T | undefined,
): (ir: IR, bag: DiagnosticBag) => T | undefined {
  const known = new WeakMap<IR, T>();
  return (ir, bag) => {
    let value = known.get(ir);
    if (value === undefined) {
      value = make(ir, bag);
      if (value !== undefined) known.set(ir, value);
    }
    return value;
  };
}

/** Remembers the last one alone: whoever asks for it asks for all of it, and then for the next. */
export function remade<IR extends object, T>(
  make: (ir: IR, bag: DiagnosticBag) => T | undefined,
): (ir: IR, bag: DiagnosticBag) => T | undefined {
  let last: LastMade<IR, T> | undefined;
  return (ir, bag) => {
    if (last?.ir === ir) return last.value;
    const value = make(ir, bag);
    last = value === undefined ? undefined : { ir, value };
    return value;
  };
}

/** What was made last, and of what. */
export interface LastMade<IR, T> {
  readonly ir: IR;
  readonly value: T;
}

/** Of each key the last one: what is made again at every change of endpoints is nobody's to gather. */
export function lastOf<IR extends object, T>(
  keyOf: (ir: IR) => object,
  make: (ir: IR, bag: DiagnosticBag, last: LastMade<IR, T> | undefined) => T | undefined,
): (ir: IR, bag: DiagnosticBag) => T | undefined {
  const known = new WeakMap<object, LastMade<IR, T>>();
  return (ir, bag) => {
    const key = keyOf(ir);
    const last = known.get(key);
    if (last?.ir === ir) return last.value;
    const value = make(ir, bag, last);
    if (value !== undefined) known.set(key, { ir, value });
    return value;
  };
}

/** As `cached`, of two objects. */
export function cachedBoth<A extends object, B extends object, T>(
  make: (a: A, b: B, bag: DiagnosticBag) => T | undefined,
): (a: A, b: B, bag: DiagnosticBag) => T | undefined {
  const known = new WeakMap<A, (b: B, bag: DiagnosticBag) => T | undefined>();
  return (a, b, bag) => {
    let ofA = known.get(a);
    if (ofA === undefined) {
      ofA = cached((second: B, own) => make(a, second, own));
      known.set(a, ofA);
    }
    return ofA(b, bag);
  };
}

/** Takes a second object that the result does not depend on. */
export function ofFirst<A, B, T>(make: (a: A, bag: DiagnosticBag) => T): (a: A, b: B, bag: DiagnosticBag) => T {
  return (a, _b, bag) => make(a, bag);
}
