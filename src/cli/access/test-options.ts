import { InvalidArgumentError } from 'commander';
import { type CoverageForm, type CoverageMinimum, coverageForms } from './coverage-options.ts';
import type { AccessOptions } from './open-mesh.ts';

/** Forms of the results of `meshpol test`. */
export const testForms = ['text', 'json', 'junit', 'markdown', 'github'] as const;

export type TestForm = (typeof testForms)[number];

/** Where one form goes; without a file to standard output. */
export interface FormOutput<Form> {
  readonly form: Form;
  readonly file?: string;
}

export type TestOutput = FormOutput<TestForm>;

/** `FORM` or `FORM=FILE`; one of several may go to standard output. */
export function parseTestOutput(value: string, before?: readonly TestOutput[]): readonly TestOutput[] {
  return collectOutput(testForms, value, before);
}

/** The same for the forms of coverage. */
export function parseCoverageOutput(
  value: string,
  before?: readonly FormOutput<CoverageForm>[],
): readonly FormOutput<CoverageForm>[] {
  return collectOutput(coverageForms, value, before);
}

function collectOutput<Form extends string>(
  forms: readonly Form[],
  value: string,
  before: readonly FormOutput<Form>[] = [],
): readonly FormOutput<Form>[] {
  const [, name = '', file] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
  const form = forms.find((it) => it === name);
  if (form === undefined || file === '') {
    throw new InvalidArgumentError(`Expected FORM or FORM=FILE, where FORM is one of ${forms.join(', ')}.`);
  }
  if (before.some((other) => other.file === file)) {
    throw new InvalidArgumentError(`${file ?? 'Standard output'} is taken by another form.`);
  }
  return [...before, file === undefined ? { form } : { form, file }];
}

/** Options of `meshpol test`, as the command line spells them. */
export interface TestOptions extends AccessOptions {
  readonly filter?: string;
  readonly tag?: readonly string[];
  readonly output?: readonly TestOutput[];
  readonly coverage?: readonly FormOutput<CoverageForm>[];
  readonly failUnder?: readonly CoverageMinimum[];
  readonly verbose?: true;
  readonly init?: string;
  readonly force?: true;
  readonly watch?: true;
  readonly prove?: true;
  readonly envoy?: string;
}
