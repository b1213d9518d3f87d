import { dirname, join } from 'node:path/posix';

/** One import of a file, or one use of a global. */
export interface Import {
  readonly line: number;
  /** A path from the repository's root, or the name of a package, of a module of Node or of a global. */
  readonly target: string;
  /** Of types alone: nothing of it is there when the program runs. */
  readonly isOfTypes?: true;
}

/**
 * What a TypeScript file imports, dynamic imports and those of types alone included; `file` is its path from the
 * repository's root. Reads the text as the formatter leaves it, where a statement begins its line. Throws where the name
 * is computed.
 */
export function importsOf(file: string, text: string): readonly Import[] {
  const statement = /^(?:import|export)\b[^'"`;]*? from '([^']+)'|^import '([^']+)'|\bimport\((?:'([^']+)'|[^)]*)/gm;
  return [...text.matchAll(statement)].map((match) => {
    const name = match[1] ?? match[2] ?? match[3];
    const line = text.slice(0, match.index).split('\n').length;
    if (name === undefined) throw new Error(`${file}:${line}: an import whose name is computed: ${match[0]}`);
    const target = name.startsWith('.') ? join(dirname(file), name) : name;
    return { line, target, ...(/^(?:import|export) type /.test(match[0]) && { isOfTypes: true }) };
  });
}

/** Where a file uses a global that Node has and a browser lacks; comments are not looked at. */
export function globalsOf(text: string): readonly Import[] {
  const use =
    /^ *(?:\/?\*|\/\/).*$|(?<![\w.'"])(Buffer|process|setImmediate|require|__dirname)(?=[.(<[>;,)| ])(?! ?=)/gm;
  return [...text.matchAll(use)].flatMap(({ 1: target, index }) =>
    target === undefined ? [] : [{ line: text.slice(0, index).split('\n').length, target }],
  );
}
