/** An object of the input that has to do with a fault, as people name it. Absent parts are not known. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}
