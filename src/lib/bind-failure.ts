/** Why a gRPC server cannot be bound: what the system says, without the library's words around it. */
export function bindFailure({ message }: Error): Error {
  const [, reasons = message] = /errors: \[(.+)\]$/.exec(message) ?? [];
  return new Error(reasons);
}
