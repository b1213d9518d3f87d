/** Counts up when a field changes its meaning, or goes. */
export const lintReportVersion = 1;

/** What `meshpol lint -o json` prints; `meshpol schema LintReport` has its JSON Schema. */
export interface LintReportFile {
  readonly schemaVersion: typeof lintReportVersion;
  readonly tool: { readonly name: 'meshpol'; readonly version: string };
  /** Sorted by file, line, column and code. */
  readonly findings: readonly LintFinding[];
  /** Rules that could not look at everything, sorted by code. */
  readonly notChecked: readonly NotCheckedRule[];
  readonly summary: LintSummary;
}

/** A part of a text; lines and columns count from 1, columns in UTF-16 units. */
export interface LintPlace {
  /** Path of the text. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The end, exclusive. */
  readonly endLine: number;
  readonly endColumn: number;
}

/** One mistake. A finding without a place has none of the fields of `LintPlace`. */
export interface LintFinding extends Partial<LintPlace> {
  /** Code of the rule, or of the compiler's diagnostic; stays the same between releases. */
  readonly code: string;
  /** Number of a built-in rule: `MP304`. */
  readonly id?: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  /** Why it matters. */
  readonly why?: string;
  /** What to do. */
  readonly hint?: string;
  /** Where the documents of the product explain the code: a page of the repository and its section. */
  readonly docs?: string;
  /** The object and the field that it is about; absent for what the compiler says, and for settings. */
  readonly object?: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly field: string;
  };
  /** What the rule is about; this and the next two are absent for what the compiler says. */
  readonly category?: string;
  /** What the mistake does to access. */
  readonly direction?: 'widens' | 'narrows' | 'breaks' | 'none';
  /** A likely finding assumes that the input has all objects of some kind. */
  readonly confidence?: 'certain' | 'likely';
  readonly related: readonly (LintPlace & { readonly message: string })[];
  /** Identifies the finding in later runs, even if lines move. */
  readonly fingerprint: string;
  /** A change that is safe to make. */
  readonly fix?: { readonly title: string; readonly edits: readonly LintEdit[] };
}

/** Text that takes the place of a part of a text; empty text removes the part. */
export interface LintEdit extends LintPlace {
  readonly text: string;
}

/** A rule that could not look, and at how many objects. */
export interface NotCheckedRule {
  readonly code: string;
  readonly count: number;
}

/** What a run found, in numbers. */
export interface LintSummary {
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** How many texts were read. */
  readonly files: number;
  /** False if the input has errors: only rules ran whose findings the faulty objects cannot make untrue. */
  readonly isComplete: boolean;
}
