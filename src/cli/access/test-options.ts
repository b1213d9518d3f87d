import { InvalidArgumentError } from 'commander';

/** Forms of the results of `meshpol test`. */
export const testForms = ['text', 'json', 'junit', 'markdown', 'github'] as const;

export type TestForm = (typeof testForms)[number];

/** Where one form goes; without a file to standard output. */
export interface TestOutput {
  readonly form: TestForm;
  readonly file?: string;
}

/** `FORM` or `FORM=FILE`; one of several may go to standard output. */
export function parseTestOutput(value: string, before: readonly TestOutput[] = []): readonly TestOutput[] {
  const [, name = '', file] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
  const form = testForms.find((it) => it === name);
  if (form === undefined || file === '') {
    throw new InvalidArgumentError(`Expected FORM or FORM=FILE, where FORM is one of ${testForms.join(', ')}.`);
  }
  if (before.some((other) => other.file === file)) {
    throw new InvalidArgumentError(`${file ?? 'Standard output'} is taken by another form.`);
  }
  return [...before, file === undefined ? { form } : { form, file }];
}
