package io.github.distlock.aop.weaving;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockDefinitionException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Leads calls of woven methods to the application that the called object belongs to.
 * Static, since the weaver makes the aspect and knows nothing of applications. Each
 * application binds its beans, in mode {@code proxy}, too: otherwise another one in this
 * JVM would lock them a second time.
 */
public final class WovenCalls {

	/** Beans by identity; an entry goes when its bean is collected. */
	private static final Map<WeakIdentity, MethodInterceptor> BOUND = new ConcurrentHashMap<>();

	private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

	/** Those that work and lock woven methods. */
	private static final Set<MethodInterceptor> APPLICATIONS = ConcurrentHashMap.newKeySet();

	private WovenCalls() {
	}

	/**
	 * Lock calls of objects that are no beans, and of static methods, until
	 * {@link #leave}.
	 */
	public static void enter(MethodInterceptor application) {
		APPLICATIONS.add(application);
	}

	public static void leave(MethodInterceptor application) {
		APPLICATIONS.remove(application);
	}

	public static void bind(Object bean, MethodInterceptor application) {
		for (Reference<?> collected; (collected = COLLECTED.poll()) != null;) {
			BOUND.remove(collected);
		}
		BOUND.put(new WeakIdentity(bean, COLLECTED), application);
	}

	static @Nullable Object invoke(MethodInvocation call) throws Throwable {
		MethodInterceptor application = application(call);
		return (application != null) ? application.invoke(call) : call.proceed();
	}

	/** Nobody's call runs as it would without the weaver. */
	private static @Nullable MethodInterceptor application(MethodInvocation call) {
		Object target = call.getThis();
		MethodInterceptor bound = (target != null) ? BOUND.get(new WeakIdentity(target, null)) : null;
		if (bound != null) {
			return bound;
		}
		Iterator<MethodInterceptor> all = APPLICATIONS.iterator();
		MethodInterceptor only = all.hasNext() ? all.next() : null;
		if (all.hasNext()) {
			throw new LockDefinitionException("@DistributedLock on " + call.getMethod()
					+ " is called without a bean (the method is static, or its object is none), and several "
					+ "applications of this JVM have distlock.aop.mode=aspectj: it is not clear whose lock is meant. "
					+ "Call it on a bean, or run one application in a JVM");
		}
		return only;
	}

}
