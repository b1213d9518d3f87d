/** A value is an access-log format string: `%%` is a percent sign. */
export interface HeaderValueIR {
  readonly name: string;
  readonly value: string;
  /** True: takes the place of the values that are there. */
  readonly overwrites: boolean;
}

/** Changes of a message's headers on its way; additions by name. */
export interface HeaderChangesIR {
  readonly add: readonly HeaderValueIR[];
  readonly remove: readonly string[];
}
