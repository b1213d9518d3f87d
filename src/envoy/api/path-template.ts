export function templateFault(_template: string): string | undefined {
  return undefined;
}
