/** One text, with the name that diagnostics have for it. */
export interface NamedText {
  readonly path: string;
  readonly text: string;
}

/** A JSON Web Key Set (RFC 7517) for the tokens of one issuer. */
export interface KeySetText extends NamedText {
  readonly issuer: string;
}

/** A template in place of a built-in one. */
export interface TemplateText extends NamedText {
  /** The place in the folder of templates: `bootstrap.json.hbs`, `partials/route.hbs`. */
  readonly name: string;
}

/** What `compile` reads: everything that decides the result is in here. */
export interface CompileInput {
  /** Policies and topology in YAML or JSON; their order changes nothing. */
  readonly files: readonly NamedText[];
  /** The proxies to compile for; all when absent. */
  readonly workloads?: readonly { readonly namespace: string; readonly name: string }[] | undefined;
  /** The mesh configuration in YAML or JSON. */
  readonly meshConfig?: NamedText | undefined;
  /** Variables that change settings; the environment of the process is not looked at. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Over the mesh configuration, as `--trust-domain`. */
  readonly trustDomain?: string | undefined;
  /** Over the mesh configuration, as `--root-namespace`. */
  readonly rootNamespace?: string | undefined;
  /** Keys of issuers whose rules name only an address: nothing is fetched. */
  readonly keySets?: readonly KeySetText[] | undefined;
  readonly templates?: readonly TemplateText[] | undefined;
}

/** Throws a TypeError for a text that is none, and where two texts have one path, which diagnostics could not tell apart. */
export function checkTexts(input: CompileInput): void {
  const texts = [
    ...input.files,
    ...(input.meshConfig === undefined ? [] : [input.meshConfig]),
    ...(input.keySets ?? []),
    ...(input.templates ?? []),
  ];
  const paths = new Set<string>();
  for (const { path, text } of texts) {
    if (typeof path !== 'string' || typeof text !== 'string') {
      throw new TypeError(`compile: "path" and "text" are ${typeof path} and ${typeof text}, expected two strings`);
    }
    if (paths.has(path)) throw new TypeError(`compile: two texts have the path "${path}", expected one path for each`);
    paths.add(path);
  }
}
