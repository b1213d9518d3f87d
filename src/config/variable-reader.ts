import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Environment } from './environment.ts';
import { redactText } from './redact.ts';
import type { SettingOrigin } from './settings.ts';
import type { ParsedVariable, Variable } from './variable.ts';

/**
 * Reads variables of a table, each with where its value came from. What cannot be read is reported, as an error where
 * security depends on it and else as a warning, and leaves the default.
 */
export class VariableReader {
  readonly #table: ReadonlyMap<string, Variable>;
  readonly #environment: Environment;
  readonly #bag: DiagnosticBag;
  readonly #origins: Record<string, SettingOrigin> = {};

  constructor(table: readonly Variable[], environment: Environment, bag: DiagnosticBag) {
    this.#table = new Map(table.map((variable) => [variable.name, variable]));
    this.#environment = environment;
    this.#bag = bag;
  }

  /** One entry a setting that was read. */
  get origins(): Readonly<Record<string, SettingOrigin>> {
    return { ...this.#origins };
  }

  /** The variable's value; set but empty counts as absent for texts, and as unreadable for other types. */
  read<T>(name: string, parse: (text: string) => ParsedVariable<T>): T {
    const variable = this.#variable(name);
    const text = this.#environment[name];
    if (text === undefined || (text === '' && variable.type === 'string')) return this.#usual(variable, parse);
    const parsed = parse(text);
    if (!parsed.ok) {
      this.#report(variable, text, parsed.expected);
      return this.#usual(variable, parse);
    }
    this.#origins[variable.setting ?? name] = { source: 'variable', detail: name };
    return parsed.value;
  }

  #variable(name: string): Variable {
    const variable = this.#table.get(name);
    if (variable === undefined) throw new Error(`no variable ${name} in the table`);
    return variable;
  }

  #usual<T>(variable: Variable, parse: (text: string) => ParsedVariable<T>): T {
    const parsed = parse(variable.default);
    if (!parsed.ok) throw new Error(`the default of ${variable.name} is none: ${parsed.expected} is expected`);
    this.#origins[variable.setting ?? variable.name] = { source: 'default', detail: 'default' };
    return parsed.value;
  }

  #report({ name, security, default: usual }: Variable, text: string, expected: string): void {
    const value = redactText(text);
    if (security) this.#bag.report('invalid-variable', undefined, { name, value, expected });
    else
      this.#bag.report('ignored-variable', undefined, {
        name,
        value,
        expected,
        default: usual === '' ? 'empty' : usual,
      });
  }
}
