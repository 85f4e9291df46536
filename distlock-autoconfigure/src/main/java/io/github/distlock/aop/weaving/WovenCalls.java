package io.github.distlock.aop.weaving;

import java.util.Iterator;
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

	/**
	 * The application of each bean. Static because the aspect is (see above), and shared
	 * by all applications, because a woven class may have beans in several of them. An
	 * application in mode {@code proxy} registers its beans, too: otherwise another
	 * application of this JVM would lock them a second time.
	 */
	private static final WeakIdentityMap<MethodInterceptor> BEANS = new WeakIdentityMap<>();

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
		BEANS.put(bean, application);
	}

	static @Nullable Object invoke(MethodInvocation call) throws Throwable {
		MethodInterceptor application = application(call);
		return (application != null) ? application.invoke(call) : call.proceed();
	}

	/** Calls that belong to no application proceed unlocked. */
	private static @Nullable MethodInterceptor application(MethodInvocation call) {
		Object target = call.getThis();
		MethodInterceptor bound = (target != null) ? BEANS.get(target) : null;
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

}
