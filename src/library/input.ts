import { checkInput } from './check-input.ts';

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

/** What `analyse` reads: everything that decides which policy is in force where. */
export interface AnalyseInput {
  /** Policies and topology in YAML or JSON; their order changes nothing. */
  readonly files: readonly NamedText[];
  /** The mesh configuration in YAML or JSON. */
  readonly meshConfig?: NamedText | undefined;
  /** Variables that change settings; the environment of the process is not looked at. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Over the mesh configuration, as `--trust-domain`. */
  readonly trustDomain?: string | undefined;
  /** Over the mesh configuration, as `--root-namespace`. */
  readonly rootNamespace?: string | undefined;
}

/** What `compile` reads: everything that decides the result is in here. */
export interface CompileInput extends AnalyseInput {
  /** The proxies to compile for; all when absent. */
  readonly workloads?: readonly { readonly namespace: string; readonly name: string }[] | undefined;
  /** Keys of issuers whose rules name only an address: nothing is fetched. */
  readonly keySets?: readonly KeySetText[] | undefined;
  readonly templates?: readonly TemplateText[] | undefined;
  readonly bootstrap?: BootstrapInput | undefined;
  /**
   * How Envoy gets its resources: `files` (the default), with the endpoints of each cluster in it, or `ads`, over one
   * stream from a control plane, with the endpoints as resources of their own.
   */
  readonly delivery?: 'files' | 'ads' | undefined;
}

/** Bootstraps of Envoy's own form, in YAML or JSON, for every proxy. */
export interface BootstrapInput {
  /** Takes the place of the one that is made; what `customConfigFile` names is not read. */
  readonly custom?: NamedText | undefined;
  /** Laid over it, as what MESH_BOOTSTRAP_OVERRIDE names. */
  readonly override?: NamedText | undefined;
}

/**
 * Throws a TypeError, in the name of the function that was `called`, where the input is not of its type, and where two
 * texts have one path, which diagnostics could not tell apart.
 */
export function checkTexts(called: string, input: CompileInput): void {
  checkInput(called, input);
  const { files, meshConfig, keySets = [], templates = [], bootstrap = {} } = input;
  const single = [meshConfig, bootstrap.custom, bootstrap.override].filter((text) => text !== undefined);
  const paths = new Set<string>();
  for (const { path } of [...files, ...keySets, ...templates, ...single]) {
    if (paths.has(path)) {
      throw new TypeError(`${called}: two texts have the path "${path}", expected one path for each`);
    }
    paths.add(path);
  }
}
