import type { LintFinding } from '../contracts/lint-report.ts';
import type { MeshSnapshot, SnapshotObject } from './snapshot.ts';

/** What is known of a rule, of ours or of a user. */
export interface RuleFacts {
  /** Kebab-case; it is the code of the findings. */
  readonly code: string;
  readonly severity: LintFinding['severity'];
  /** A likely finding assumes that the input has all objects of some kind; it is never an error. */
  readonly confidence: 'certain' | 'likely';
  /** Kinds of the objects that it looks at. */
  readonly kinds: readonly string[];
  /** A rule that needs topology runs only if the input has a workload or a service. */
  readonly needs: 'policies' | 'topology';
  /** What it finds: a noun phrase. */
  readonly title: string;
  /** Why it matters: one sentence. */
  readonly why: string;
  /** What to do: an imperative sentence. */
  readonly hint: string;
  /** What it is about; `hygiene` when absent. */
  readonly category?: string;
  /** What the mistake does to access; `none` when absent. */
  readonly direction?: 'widens' | 'narrows' | 'breaks' | 'none';
}

/** A rule of ours. */
export interface BuiltInRule extends RuleFacts {
  /** Its number: `MP304`. */
  readonly id: string;
}

/** A rule of a user. */
export interface Rule extends RuleFacts {
  /** Reports what it finds before it returns; it may not return a promise. */
  check(context: RuleContext): void;
}

/** What a rule reads, and where it says what it found. */
export interface RuleContext {
  readonly snapshot: MeshSnapshot;
  report(sighting: RuleSighting): void;
  /** Counts an object that the rule cannot judge, because the input does not say enough. */
  skip(object: SnapshotObject): void;
}

/** A field of an object. */
export interface RulePlace {
  /** One of `snapshot.objects`. */
  readonly object: SnapshotObject;
  /** From the root of the object: `['spec', 'rules', 0]`. */
  readonly path: readonly (string | number)[];
  /** The name of the field, or its value; the value when absent. */
  readonly part?: 'key' | 'value';
}

/** One thing that a rule found. */
export interface RuleSighting extends RulePlace {
  readonly message: string;
  /** In place of the rule's own. */
  readonly hint?: string;
  readonly related?: readonly (RulePlace & { readonly message: string })[];
  /** A change that is safe to make: each text takes the place of a field, as it stands in YAML or JSON. */
  readonly fix?: { readonly title: string; readonly edits: readonly (RulePlace & { readonly text: string })[] };
}
