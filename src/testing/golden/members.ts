/** One step of a path, as it is written: `.field` of an object, `[name]` of an element that has one, or `[2]`. */
export type Step = string;

/** The members of an object or a list, in their order. */
export type Members = ReadonlyMap<Step, unknown>;

const plainField = /^[A-Za-z_@][\w@-]*$/;
const plainName = /^(?!\d+$)[^"\]\n]+$/;
const steps = /\.[A-Za-z_@][\w@-]*|\."(?:[^"\\]|\\.)*"|\["(?:[^"\\]|\\.)*"\]|\[[^"\]\n]*\]/y;

/** Members of two values that can be compared one by one; `undefined` where the values are compared as wholes. */
export function commonMembers(base: unknown, value: unknown): readonly [Members, Members] | undefined {
  if (isFlat(base) && isFlat(value)) return undefined;
  if (isObject(base) && isObject(value)) return [fields(base), fields(value)];
  if (!Array.isArray(base) || !Array.isArray(value)) return undefined;
  const [before, after] = [namedElements(base), namedElements(value)];
  if (before !== undefined && after !== undefined && isNamedAlike(before, after)) return [before, after];
  const isAligned = base.length === value.length && [...base, ...value].every(isContainer);
  return isAligned ? [elements(base), elements(value)] : undefined;
}

/** Members of a value, called in the way in which `step` calls one; `undefined` where they are not called so. */
export function membersFor(step: Step, value: unknown): Members | undefined {
  if (isObject(value)) return fields(value);
  if (!Array.isArray(value)) return undefined;
  return /^\[\d+\]$/.test(step) ? elements(value) : namedElements(value);
}

/** An object or a list, as `like` is one, of members. */
export function ofMembers(members: Iterable<readonly [Step, unknown]>, like: unknown): unknown {
  const entries = [...members];
  if (Array.isArray(like)) return entries.map(([, member]) => member);
  return Object.fromEntries(
    entries.map(([step, member]) => [step[1] === '"' ? JSON.parse(step.slice(1)) : step.slice(1), member]),
  );
}

/** The steps at the start of a text, and what follows them. */
export function readSteps(text: string): { readonly path: readonly Step[]; readonly rest: string } {
  const path: Step[] = [];
  let end = 0;
  for (;;) {
    steps.lastIndex = end;
    const [step] = steps.exec(text) ?? [];
    if (step === undefined) return { path, rest: text.slice(end) };
    path.push(step);
    end += step.length;
  }
}

function fields(value: object): Members {
  return new Map(
    Object.entries(value).map(([name, field]) => [
      plainField.test(name) ? `.${name}` : `.${JSON.stringify(name)}`,
      field,
    ]),
  );
}

function elements(list: readonly unknown[]): Members {
  return new Map(list.map((element, index) => [`[${index}]`, element]));
}

/** Elements by their names; `undefined` if one has none, or two have the same. */
function namedElements(list: readonly unknown[]): Members | undefined {
  const members = new Map<Step, unknown>();
  for (const element of list) {
    const [, name] = naming(element) ?? [];
    if (name === undefined) return undefined;
    members.set(plainName.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`, element);
  }
  return members.size === list.length ? members : undefined;
}

/** Whether the elements of a name have it in the same field: changes leave that field as it is, so each finds its element. */
function isNamedAlike(before: Members, after: Members): boolean {
  return [...before].every(
    ([step, element]) => !after.has(step) || naming(element)?.[0] === naming(after.get(step))?.[0],
  );
}

/** The field that an element is called by, and what it says. */
function naming(element: unknown): readonly [field: string, name: string] | undefined {
  if (!isObject(element)) return undefined;
  for (const field of ['name', 'host']) {
    const name = element[field];
    if (typeof name === 'string') return [field, name];
  }
  return undefined;
}

/** Holds no object: a text, a number, a list of such. */
export function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isPlain) : !isObject(value);
}

/** An object of plain values: short enough to be shown before and after a change. */
export function isFlat(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isPlain);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isContainer(value) && !Array.isArray(value);
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
