/** Namespace and name of a Secret. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** `<namespace>/<name>`. */
export function keyOf({ namespace, name }: SecretName): string {
  return `${namespace}/${name}`;
}

const nameForm = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Whether a value that nobody has checked can be the name of a Secret, and so can be written into a path. */
export function isSecretName(value: unknown): value is string {
  return typeof value === 'string' && nameForm.test(value);
}
