export { execute } from './execute.ts';
export { lookup } from './lookup.ts';
export { type NormalizeOptions, normalize } from './normalize.ts';
export { type PathGuardAdds, type PathGuardOptions, pathGuard } from './path-guard.ts';
export { allowAll, type PermissionOptions, type PermissionStage, permission } from './permission.ts';
export { type RepairOptions, repair } from './repair.ts';
export { type TimeoutOptions, timeout } from './timeout.ts';
export { type ValidateOptions, validate } from './validate.ts';
