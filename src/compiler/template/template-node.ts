/** Names of fields, from the view down; empty for the view itself. */
export type ViewPath = readonly string[];

/** A value that no view decides. */
export interface ConstantNode {
  readonly kind: 'constant';
  readonly value: unknown;
}

/** Where `{{json path}}` places a value of the view. */
export interface PlaceNode {
  readonly kind: 'place';
  readonly path: ViewPath;
  /** Of the template's text, from 1. */
  readonly line: number;
}

/** `{{> name context}}` */
export interface PartialNode {
  readonly kind: 'partial';
  readonly name: string;
  readonly context: ViewPath;
}

export interface ObjectNode {
  readonly kind: 'object';
  readonly members: readonly BlockOr<MemberNode>[];
}

export interface MemberNode {
  readonly kind: 'member';
  readonly key: string | PlaceNode;
  readonly value: ValueNode;
}

export interface ListNode {
  readonly kind: 'list';
  readonly elements: readonly BlockOr<ValueNode>[];
}

/** What a template makes of a view: JSON. */
export type ValueNode = ConstantNode | PlaceNode | PartialNode | ObjectNode | ListNode;

export type BlockName = 'if' | 'unless' | 'each';

/** What stands under `{{#if}}`, `{{#unless}}` or `{{#each}}`. */
export interface BlockNode<Node> {
  readonly kind: 'block';
  readonly block: BlockName;
  readonly path: ViewPath;
  readonly body: readonly BlockOr<Node>[];
}

export type BlockOr<Node> = Node | BlockNode<Node>;

/** A whole template: one value, or several of which blocks choose one. */
export type TemplateTree = ValueNode | { readonly kind: 'choices'; readonly choices: readonly BlockOr<ValueNode>[] };
