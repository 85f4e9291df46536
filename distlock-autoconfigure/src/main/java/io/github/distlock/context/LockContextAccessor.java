package io.github.distlock.context;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation carry the {@link LockContext} from thread to
 * thread, and from a Reactor context to threads. Micrometer loads it as a service;
 * application code does not use it. Propagation does not extend a lock: the lock ends
 * with the method that acquired it.
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
		// The scope is not needed: the propagation restores the previous value itself.
		LockContext.openAll(locks);
	}

	@Override
	public void setValue() {
		LockContext.openAll(List.of());
	}

}
