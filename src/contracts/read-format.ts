/** What a field of a document holds; items of a list of objects are objects, values of a map of lists are lists. */
export type Part = 'string' | 'object' | 'list of strings' | 'list of objects' | 'map of lists';

/** Each field of the document but `format`. */
export type PartsOf<T> = { readonly [Name in Exclude<keyof T, 'format'>]: Part };

/**
 * Reads a document of ours whose first field is `format`; `name` is its file, for messages. Throws when the text is not
 * JSON, when the document has another format, and when one of its parts is missing or of another type.
 */
export function readFormat<T extends { readonly format: number }>(
  name: string,
  format: T['format'],
  parts: PartsOf<T>,
  text: string,
): T {
  const file = parse<T>(name, format, text);
  if (file?.format === format) {
    for (const [field, part] of Object.entries<Part>(parts)) {
      const value = Object.hasOwn(file, field) ? file[field as keyof T] : undefined;
      if (isPart[part](value)) continue;
      throw new Error(`${name} has ${described(value)} at "${field}", expected a ${part}: compile again`);
    }
    return file;
  }
  throw new Error(
    `${name} has the format ${JSON.stringify(file?.format) ?? 'none'}, expected ${format}: compile again`,
  );
}

function parse<T>(name: string, format: number, text: string): T | null {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as SyntaxError;
    throw new Error(
      `${name} is not JSON (${message.replaceAll(/\s+/g, ' ')}), expected a document of format ${format}: compile again`,
      {
        cause,
      },
    );
  }
}

const isPart: Readonly<Record<Part, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  object: isObject,
  'list of strings': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  'list of objects': (value) => Array.isArray(value) && value.every(isObject),
  'map of lists': (value) =>
    isObject(value) && Object.values(value).every((list) => Array.isArray(list) && list.every(isObject)),
};

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function described(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
