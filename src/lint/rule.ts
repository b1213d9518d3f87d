import type { Snapshot } from '../compiler/snapshot.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import type { MeshObject } from '../policy/object.ts';
import type { Fix } from './finding.ts';

/** What a rule is about; the parts of its page, and what `--category` selects by. */
export type Category = (typeof categories)[number];

export const categories = [
  'peer-authentication',
  'client-tls',
  'authorization',
  'matching',
  'tokens',
  'routing',
  'output',
  'agent',
  'hygiene',
] as const;

/** What the fault does to access: lets in more than meant, less than meant, makes calls fail, or none of these. */
export type Direction = (typeof directions)[number];

export const directions = ['widens', 'narrows', 'breaks', 'none'] as const;

/** Which part of the compiled output a fix changes; a fix of `nothing` says the same in a better way. */
export type FixedPart = 'nothing' | 'access rules' | 'mutual TLS of ports';

interface RuleFacts {
  /** Kebab-case, names the fault, and is the name of its file; never renamed or used again once released. */
  readonly code: string;
  readonly category: Category;
  readonly direction: Direction;
  /** Kinds of the objects that it looks at; empty for a rule about settings or suppressions. */
  readonly kinds: readonly string[];
  /** Without an object that says who is in the mesh, a rule that needs topology does not run. */
  readonly needs: 'policies' | 'topology';
  /** That each object of its kinds is judged without the others: what is found of one stands beside another that is faulty. */
  readonly judges?: 'each';
  /** What it finds, as a noun phrase without a full stop: the title of its section. */
  readonly title: string;
  /** Why it matters: one sentence without a full stop. */
  readonly why: string;
  /** What to do: an imperative sentence without a full stop. */
  readonly hint: string;
  /** Codes, of rules and of diagnostics, of which it says the same better: at the same place they are silent. */
  readonly outranks?: readonly string[];
  /** Of a rule that makes fixes: what these change in the compiled output. */
  readonly fixChanges?: FixedPart;
  check(context: RuleContext): void;
}

interface BuiltInFacts {
  /** Its number in the catalogue of rules, by which people know it too: `MP304`. */
  readonly id: string;
  /** Codes of other tools (istioctl, Kiali) for the same fault. */
  readonly peers?: readonly string[];
  /** The release that has it first. */
  readonly since: string;
}

/** What a run needs of a rule, of ours or of a user. What rests on an absence is likely, and never an error. */
export type RunnableRule = RuleFacts &
  Partial<BuiltInFacts> &
  (
    | { readonly confidence: 'certain'; readonly severity: 'error' | 'warning' | 'info' }
    | { readonly confidence: 'likely'; readonly severity: 'warning' | 'info' }
  );

/** A mistake in policies that compile. */
export type Rule = RunnableRule & BuiltInFacts;

/** What a rule reads, and where it says what it found. */
export interface RuleContext {
  readonly snapshot: Snapshot;
  report(sighting: Sighting | SettingSighting): void;
  /** Counts an object that the rule would look at if the input said more of its surroundings. */
  skip(object: MeshObject<string>): void;
}

/** A field of an object. */
export interface Place {
  readonly object: MeshObject<string>;
  /** From the root of the object: `['spec', 'rules', 0]`. */
  readonly path: JsonPath;
  readonly part?: 'key' | 'value';
}

/** What a rule saw at a field. */
export interface Sighting extends Place {
  /** What was found and what was expected: lower case, no full stop, quotes the text of the user. */
  readonly message: string;
  /** In place of the rule's own, where the case at hand allows better ones. */
  readonly why?: string | undefined;
  readonly hint?: string | undefined;
  readonly related?: readonly (Place & { readonly message: string })[];
  readonly fix?: Fix | undefined;
}

/** What a rule saw at a setting; the message gets where the setting came from. */
export interface SettingSighting {
  /** Name of the setting, as `Settings.origins` has it. */
  readonly setting: string;
  readonly message: string;
  readonly hint?: string;
}
