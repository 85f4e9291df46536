package io.github.distlock.context;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation carry {@link LockContext} from thread to thread,
 * and from a Reactor context to threads. Found by it as a service; not to be used
 * otherwise. Carrying a lock does not extend it: it ends when the method that has it
 * ends.
 */
public final class LockContextAccessor implements ThreadLocalAccessor<List<HeldLock>> {

	@Override
	public Object key() {
		return LockContext.CONTEXT_KEY;
	}

	@Override
	public @Nullable List<HeldLock> getValue() {
		List<HeldLock> locks = LockContext.all();
		return locks.isEmpty() ? null : locks;
	}

	@Override
	public void setValue(List<HeldLock> locks) {
		// The propagation ends the scope itself: it calls restore.
		LockContext.openAll(locks);
	}

	@Override
	public void setValue() {
		LockContext.openAll(List.of());
	}

}
