/**
 * Reads a document of ours whose first field is `format`; `name` is its file, for messages. Throws when the text is not
 * JSON, and when the document has another format.
 */
export function readFormat<T extends { readonly format: number }>(name: string, format: T['format'], text: string): T {
  const file = parse<T>(name, format, text);
  if (file?.format === format) return file;
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
