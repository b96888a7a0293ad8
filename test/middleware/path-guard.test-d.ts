import { type Effect, type Ready, type ScopedFs, type Stage, step } from 'callgate';
import { type PathGuardAdds, pathGuard } from 'callgate/middleware/path-guard';
import { describe, expectTypeOf, it } from 'vitest';

describe('pathGuard', () => {
  it('is a stage that adds the effects and the files', () => {
    expectTypeOf(pathGuard({ roots: ['.'] })).toExtend<Stage<Ready, PathGuardAdds>>();
    expectTypeOf<PathGuardAdds['effects']>().toEqualTypeOf<readonly Effect[]>();
    expectTypeOf<PathGuardAdds['fs']>().toEqualTypeOf<ScopedFs>();
  });

  it('is told what it must know', () => {
    // @ts-expect-error roots are missing
    pathGuard({});
    // @ts-expect-error an unknown option
    pathGuard({ roots: ['.'], denied: [] });
    // @ts-expect-error an unknown access
    pathGuard({ roots: [{ path: '.', access: 'all' }] });
  });

  it('is a guard, which a plain stage is not', () => {
    expectTypeOf(pathGuard({ roots: ['.'] }).guards).toEqualTypeOf<true>();
    expectTypeOf(step(() => undefined)).not.toHaveProperty('guards');
  });
});
