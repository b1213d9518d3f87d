/** The values that fill a message, one a hole. */
export type Holes<K extends readonly string[]> = Readonly<Record<K[number], string>>;

/** A message with named holes: message`unknown field "${'field'}"` wants `{ field }`. */
export type MessageTemplate<K extends readonly string[]> = (holes: Holes<K>) => string;

/** Tag for templates whose substitutions are the names of their holes. */
export function message<const K extends readonly string[]>(
  text: TemplateStringsArray,
  ...names: K
): MessageTemplate<K> {
  return (holes) => {
    let out = text[0] ?? '';
    for (const [i, name] of names.entries()) out += holes[name as K[number]] + (text[i + 1] ?? '');
    return out;
  };
}
