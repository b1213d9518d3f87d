import { formatPath } from '../../diagnostics/json-path.ts';
import { Placed } from './placed.ts';
import type { FragmentOrigin } from './resource.ts';

/** JSON text of a string that starts with NUL: what marks start with, and what no other value may start with. */
const escapedNul = '\\u0000';

/** The values that one rendering wrote as private ids. */
export class Marks {
  readonly #values: unknown[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** JSON text of a view's value; a value with origins becomes an id that `stripMarks` takes back. */
  write(value: unknown): string {
    if (value instanceof Placed) return this.#mark(value);
    const text = JSON.stringify(value);
    return text.includes(`"${escapedNul}`) ? this.#mark(value) : text;
  }

  /** The marked values, in the order of their ids. */
  get text(): string {
    return JSON.stringify(this.#values.map((value) => (value instanceof Placed ? value.value : value)));
  }

  at(mark: string): unknown {
    return this.#values[Number(mark.slice(1))];
  }

  #mark(value: unknown): string {
    return `"${escapedNul}${this.#values.push(value) - 1}"`;
  }
}

/**
 * Puts the values back in `root`, in place. The origins belong to the object in which the value stands, and are given in
 * the order of the text.
 */
export function stripMarks(root: object, marks: Marks): FragmentOrigin[] {
  const origins: FragmentOrigin[] = [];
  const path: (string | number)[] = [];
  let left = marks.size;

  const visit = (parent: Record<string | number, unknown>, key: string | number): void => {
    const child = parent[key];
    if (typeof child === 'string') {
      if (child.charCodeAt(0) !== 0) return;
      left -= 1;
      const value = marks.at(child);
      parent[key] = value instanceof Placed ? value.value : value;
      if (value instanceof Placed) origins.push({ path: formatPath(path), ...value.origins });
    } else if (typeof child === 'object' && child !== null) {
      path.push(key);
      walk(child);
      path.pop();
    }
  };
  const walk = (node: object): void => {
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length && left > 0; i++) visit(node as unknown as Record<number, unknown>, i);
    } else {
      for (const key in node) {
        if (left === 0) return;
        visit(node as Record<string, unknown>, key);
      }
    }
  };

  walk(root);
  return origins;
}
