package io.github.distlock.aop.weaving;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockDefinitionException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Passes each call of a woven method to the application that the called object belongs
 * to.
 * <p>
 * The state is static because AspectJ creates the only instance of the aspect: the aspect
 * serves all applications of the JVM and has no reference to any of them. It can find the
 * application of a call only here. An application is represented by the interceptor that
 * locks its methods.
 */
public final class WovenCalls {

	/** Part of the name of the method to which the weaver moves a body. */
	private static final String BODY = "_aroundBody";

	/**
	 * The application of each bean. Static because the aspect is (see above), and shared
	 * by all applications, because a woven class may have beans in several of them. An
	 * application in mode {@code proxy} registers its beans, too: otherwise another
	 * application of this JVM would lock them a second time.
	 */
	private static final Map<BeanReference, MethodInterceptor> BEANS = new ConcurrentHashMap<>();

	/** References to beans that were collected. Their entries are removed later. */
	private static final ReferenceQueue<Object> COLLECTED = new ReferenceQueue<>();

	/**
	 * The running applications in mode {@code aspectj}. Static because the aspect is (see
	 * above): static methods and objects that are no beans belong to no application, so
	 * they are locked by the only one here.
	 */
	private static final Set<MethodInterceptor> APPLICATIONS = ConcurrentHashMap.newKeySet();

	private WovenCalls() {
	}

	/**
	 * Lock calls of static methods and of objects that are no beans, until
	 * {@link #removeApplication}.
	 * @param application the interceptor of the application
	 */
	public static void addApplication(MethodInterceptor application) {
		APPLICATIONS.add(application);
	}

	/**
	 * Remove an application that ends.
	 * @param application the interceptor of the application
	 */
	public static void removeApplication(MethodInterceptor application) {
		APPLICATIONS.remove(application);
	}

	/**
	 * Pass calls of a bean to its application.
	 * @param bean the bean, without its proxy
	 * @param application the interceptor of the application
	 */
	public static void bind(Object bean, MethodInterceptor application) {
		for (Reference<?> reference; (reference = COLLECTED.poll()) != null;) {
			BEANS.remove(reference);
		}
		BEANS.put(new BeanReference(bean, COLLECTED), application);
	}

	/**
	 * Return whether a weaver has applied advice to a method: it moves the body of an
	 * advised method to another method, for advice of any aspect.
	 * @param method the method
	 * @return whether the method is woven
	 */
	public static boolean isWoven(Method method) {
		int receiver = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
		List<Class<?>> parameters = List.of(method.getParameterTypes());
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.filter((candidate) -> candidate.getName().startsWith(method.getName() + BODY))
			.map((body) -> List.of(body.getParameterTypes()))
			.anyMatch((types) -> types.size() >= receiver + parameters.size()
					&& types.subList(receiver, receiver + parameters.size()).equals(parameters));
	}

	static @Nullable Object invoke(MethodInvocation call) throws Throwable {
		MethodInterceptor application = application(call);
		return (application != null) ? application.invoke(call) : call.proceed();
	}

	/** Calls that belong to no application proceed unlocked. */
	private static @Nullable MethodInterceptor application(MethodInvocation call) {
		Object target = call.getThis();
		MethodInterceptor bound = (target != null) ? BEANS.get(new BeanReference(target, null)) : null;
		if (bound != null) {
			return bound;
		}
		Iterator<MethodInterceptor> all = APPLICATIONS.iterator();
		MethodInterceptor only = all.hasNext() ? all.next() : null;
		if (all.hasNext()) {
			throw new LockDefinitionException("@DistributedLock on " + call.getMethod()
					+ " is called without a bean (the method is static, or its object is no bean), and several "
					+ "applications of this JVM have distlock.aop.mode=aspectj: it is not clear which of them must lock "
					+ "it. Call the method on a bean, or run one application in a JVM");
		}
		return only;
	}

	/**
	 * A weak reference that is equal to another one to the same object. A woven class may
	 * have an {@code equals} of its own, and its objects must remain collectable.
	 */
	private static final class BeanReference extends WeakReference<Object> {

		private final int hash;

		BeanReference(Object object, @Nullable ReferenceQueue<Object> queue) {
			super(object, queue);
			this.hash = System.identityHashCode(object);
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			if (this == other) {
				return true;
			}
			Object object = get();
			return object != null && other instanceof BeanReference reference && reference.get() == object;
		}

	}

}
