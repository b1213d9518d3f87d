// biome-ignore lint/performance/noBarrelFile: the one entry of the package
export { compile } from './compile.ts';
export { type DiagnosticsForm, formatDiagnostics } from './format-diagnostics.ts';
export type { CompileInput, KeySetText, NamedText, TemplateText } from './input.ts';
export type { CompileResult, Diagnostic, Message, Place, Position, ProxyConfiguration } from './result.ts';
export { schemas } from './schemas.ts';
