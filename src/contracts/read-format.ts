/** Reads a document of ours whose first field is `format`; throws when it has another one. */
export function readFormat<T extends { readonly format: number }>(name: string, format: T['format'], text: string): T {
  const file: T | null = JSON.parse(text);
  if (file?.format === format) return file;
  throw new Error(
    `${name} has the format ${JSON.stringify(file?.format) ?? 'none'}, expected ${format}: compile again`,
  );
}
