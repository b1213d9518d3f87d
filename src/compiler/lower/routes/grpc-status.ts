/** Status codes by number (gRPC, "Status codes and their use in gRPC"). */
const names: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** Of a name; undefined for what is none. */
export function grpcStatusNumber(name: string): number | undefined {
  const number = names.indexOf(name);
  return number < 0 ? undefined : number;
}
