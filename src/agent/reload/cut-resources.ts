import { type Json, nameOf, parseResourceFile } from './proxy-files.ts';

/** A resource of a file, as its text; parsed when its value is asked for. */
export interface ResourceText {
  readonly name: string;
  readonly text: string;
  readonly value: Json;
}

/** The resources of a DiscoveryResponse. Only where our own compiler wrote it is each text as it stands there. */
export function resourceTexts(file: string): readonly ResourceText[] {
  const texts = cutResources(file) ?? parseResourceFile(file).resources.map((resource) => JSON.stringify(resource));
  return texts.map(resourceText);
}

function resourceText(text: string): ResourceText {
  let parsed: Json | undefined;
  const value = (): Json => {
    parsed ??= JSON.parse(text) as Json;
    return parsed;
  };
  return {
    name: nameInText(text) ?? nameOf(value()),
    text,
    get value() {
      return value();
    },
  };
}

/**
 * The resources of a DiscoveryResponse in the form that our own compiler writes it, two blanks a level, each as its text:
 * a big mesh is compared without being parsed. Undefined for any other form.
 */
export function cutResources(text: string): readonly string[] | undefined {
  const head = /^\{\n {2}"version_info": "[\w+]*",\n {2}"resources": \[(?:\]\n\}\n?$|\n(?= {4}\{\n))/.exec(
    text.slice(0, 200),
  );
  if (head === null) return undefined;
  const resources: string[] = [];
  let at = head[0].length;
  while (text.startsWith('    {\n', at)) {
    // What is inside of the resource stands deeper, and a text of JSON holds no line break.
    const end = text.indexOf('\n    }', at);
    if (end === -1) return undefined;
    resources.push(text.slice(at, end + 6));
    at = end + 8;
    if (text[end + 6] !== ',') break;
  }
  const isWhole = resources.length === 0 || /^ {2}\]\n\}\n?$/.test(text.slice(at - 1));
  return isWhole ? resources : undefined;
}

/** Undefined for a text of another form, and for a resource without a name. */
function nameInText(resource: string): string | undefined {
  const [, name] = /^ {6}"name": ("(?:[^"\\]|\\.)*"),?$/m.exec(resource) ?? [];
  return name === undefined ? undefined : (JSON.parse(name) as string);
}
