package io.github.distlock.aop;

import java.util.Arrays;
import java.util.List;

import io.github.distlock.aop.weaving.LockWeaving;
import io.github.distlock.transaction.TransactionBoundary;

import org.springframework.aop.framework.Advised;
import org.springframework.util.ClassUtils;

/**
 * Verifies that the lock is woven into annotated methods in mode {@code aspectj}.
 */
final class WeavingVerifier {

	private final TransactionBoundary transactions = TransactionBoundary.create();

	/** Without this class nothing can be woven. */
	private static final boolean POSSIBLE = ClassUtils.isPresent("org.aspectj.lang.ProceedingJoinPoint",
			WeavingVerifier.class.getClassLoader());

	/**
	 * Return whether the weaver has changed one of the methods, for the lock or for
	 * another aspect. It may not have changed the lock aspect itself, because the
	 * {@code aop.xml} of an application does not include it.
	 */
	static boolean isWoven(List<LockDeclaration> locks) {
		return POSSIBLE && locks.stream().anyMatch((declaration) -> LockWeaving.isWoven(declaration.method().method()));
	}

	/** Whether this JVM was started with AspectJ's agent. */
	private static boolean hasAgent() {
		try {
			ClassLoader.getSystemClassLoader()
				.loadClass("org.aspectj.weaver.loadtime.Agent")
				.getMethod("getInstrumentation")
				.invoke(null);
			return true;
		}
		catch (ReflectiveOperationException ex) {
			// The class is missing, or was not started as an agent.
			return false;
		}
	}

	/**
	 * Refuse a bean whose method would run without its lock, or with the lock inside the
	 * transaction.
	 * @param bean the bean, or its proxy if it has one
	 * @param declaration one of its annotated methods
	 */
	void verify(Object bean, LockDeclaration declaration) {
		LockedMethod method = declaration.method();
		boolean woven = POSSIBLE && LockWeaving.isLocked(method.method());
		if (!woven && !hasAgent()) {
			throw method
				.refuse("would not be locked: distlock.aop.mode is aspectj, no weaver of AspectJ has put the lock around "
						+ "the method, and this JVM has no AspectJ agent. Start the JVM with -javaagent:aspectjweaver.jar "
						+ "(org.aspectj:aspectjweaver), or set distlock.aop.mode to proxy");
		}
		if (!woven) {
			throw method.refuse("would not be locked: the weaver of AspectJ has not put the lock around it. Write the "
					+ "annotation, or one that is annotated with it, on the method itself or on the class that declares it, and not "
					+ "on an interface or a super type; include the class in META-INF/aop.xml, if there is one; and start the "
					+ "weaver before the class is loaded");
		}
		if (bean instanceof Advised advised && Arrays.stream(advised.getAdvisors())
			.anyMatch((advisor) -> this.transactions.demarcates(advisor, method.method(), method.beanClass()))) {
			throw method.refuse("would be locked inside of its transaction: the lock is woven into the method, and the "
					+ "transaction is begun by the proxy around it. Weave transactions, too "
					+ "(@EnableTransactionManagement(mode = AdviceMode.ASPECTJ) and spring-aspects), begin the "
					+ "transaction in a method that the locked one calls, or set distlock.aop.mode to proxy");
		}
	}

}
