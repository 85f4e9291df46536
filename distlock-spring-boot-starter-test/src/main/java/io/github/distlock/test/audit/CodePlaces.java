package io.github.distlock.test.audit;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.LockContext;
import io.github.distlock.Unguarded;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds the code of the application that the current thread runs. Thread-safe.
 *
 * @param beans the beans of the application
 * @param application where the classes of the application are
 * @param tests the test classes, whose code does not count
 */
record CodePlaces(ConfigurableListableBeanFactory beans, Supplier<String> application, Set<Class<?>> tests) {

	private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	/** Not code of the application: platform, frameworks, drivers, generated classes. */
	private static final Pattern FOREIGN = Pattern.compile("(?:javax?|jakarta|jdk|sun|com\\.sun|kotlinx?|scala|groovy"
			+ "|reactor|rx|oracle|liquibase|io\\.(?:micrometer|reactivex)|net\\.(?:bytebuddy|ttddyy|javacrumbs)"
			+ "|com\\.(?:zaxxer|mysql|querydsl|microsoft|intellij|p6spy|baomidou|github\\.(?:pagehelper|database\\.rider))"
			+ "|org\\.(?:springframework|hibernate|h2|hsqldb|postgresql|mariadb|apache|aspectj|aopalliance|jooq|mybatis|quartz"
			+ "|junit|mockito|assertj|flywaydb|gradle|dbunit|testcontainers|eclipse\\.persistence|jdbi|jetbrains))\\..*"
			+ "|io\\.github\\.distlock\\.test\\.(?:audit\\.)?[A-Z].*|.*\\$\\$(?:SpringCGLIB|EnhancerBy|FastClass).*"
			+ "|.*\\$(?:HibernateProxy|ByteBuddy|MockitoMock)\\$.*|.*\\$Proxy\\d+");

	/** What prepares a database, also by code of the application. */
	private static final Pattern MIGRATION = Pattern.compile("(?:org\\.flywaydb|liquibase)\\..*");

	/** What else prepares a database, and the library's own statements. */
	private static final Pattern IGNORED = Pattern.compile("(?:org\\.hibernate\\.tool"
			+ "|org\\.springframework\\.jdbc\\.datasource\\.init|io\\.github\\.distlock\\.(?:transaction|backend))\\..*");

	private static final String COMMIT = "org.springframework.transaction.support.AbstractPlatformTransactionManager";

	private static final String FLUSH = "org.hibernate.event.internal.AbstractFlushingEventListener";

	static CodePlaces of(ConfigurableListableBeanFactory beans, Class<?> test) {
		return new CodePlaces(beans,
				SingletonSupplier.of(() -> Stream.of(beans.getBeanNamesForAnnotation(SpringBootConfiguration.class))
					.flatMap((name) -> Stream.ofNullable(beans.getType(name)))
					.map((type) -> source(ClassUtils.getUserClass(type)))
					.findFirst()
					.orElse("")),
				new CopyOnWriteArraySet<>(Set.of(test)));
	}

	/** Return where the current thread is. */
	CodePlace current() {
		List<StackFrame> stack = WALKER.walk(Stream::toList);
		List<StackFrame> own = stack.stream().filter((frame) -> isOwn(frame.getDeclaringClass())).toList();
		List<String> names = stack.stream().map(StackFrame::getClassName).toList();
		List<String> outside = own.isEmpty() ? names : names.subList(0, stack.indexOf(own.get(0)));
		boolean unguarded = own.stream()
			.anyMatch((frame) -> isUnguarded(frame.getDeclaringClass(), frame.getMethodName()));
		boolean annotated = names.contains("io.github.distlock.aop.LockedCall");
		boolean asynchronous = names.contains("io.github.distlock.registry.AsyncAcquisition");
		// In the transaction of a test, it may write what a commit would have written.
		boolean lateFlush = !annotated && outside.contains(FLUSH) && isInTransactionOfTest();
		// The library flushes as well, before it checks the locks of a transaction.
		boolean ignored = own.isEmpty() || lateFlush || names.stream().anyMatch(MIGRATION.asMatchPredicate())
				|| outside.stream()
					.takeWhile((name) -> !name.startsWith("org.hibernate.event."))
					.anyMatch(IGNORED.asMatchPredicate());
		String flushed = outside.contains(COMMIT) ? TransactionSynchronizationManager.getCurrentTransactionName()
				: null;
		Class<?> transactional = transactional(flushed);
		if (flushed != null && transactional != null) {
			String method = flushed.substring(flushed.lastIndexOf('.') + 1);
			return new CodePlace(List.of(ClassUtils.getShortName(transactional) + "." + method + " (at its commit)"),
					ignored, unguarded || isUnguarded(transactional, method), isTest(transactional), annotated,
					asynchronous);
		}
		boolean test = !own.isEmpty() && isTest(own.get(0).getDeclaringClass());
		List<String> frames = own.stream()
			.takeWhile((frame) -> test || !isTest(frame.getDeclaringClass()))
			.map(CodePlaces::describe)
			.toList();
		return new CodePlace(frames, ignored, unguarded, test, annotated, asynchronous);
	}

	static boolean isInTransactionOfTest() {
		return ClassUtils.isPresent("org.springframework.transaction.PlatformTransactionManager", null)
				&& TestTransaction.isActive();
	}

	private static String describe(StackFrame frame) {
		return ClassUtils.getShortName(frame.getClassName()) + "." + frame.getMethodName() + " (" + frame.getFileName()
				+ ":" + frame.getLineNumber() + ")";
	}

	/** Return the class of the method whose transaction has this name. */
	private @Nullable Class<?> transactional(@Nullable String name) {
		String type = (name != null) ? name.substring(0, Math.max(0, name.lastIndexOf('.'))) : "";
		ClassLoader loader = this.beans.getBeanClassLoader();
		Class<?> found = ClassUtils.isPresent(type, loader) ? ClassUtils.resolveClassName(type, loader) : null;
		return (found != null && isOwn(found)) ? found : null;
	}

	/** Whether a class belongs to the application or to the test. */
	static boolean isOwn(Class<?> type) {
		return !FOREIGN.matcher(type.getName()).matches() && !source(LockContext.class).equals(source(type));
	}

	/** The application of a test may itself be among the tests. */
	private boolean isTest(Class<?> type) {
		return this.tests.stream()
			.anyMatch((test) -> type.getNestHost().isAssignableFrom(test.getNestHost())
					|| source(type).equals(source(test)) && !source(test).equals(this.application.get()));
	}

	private static String source(Class<?> type) {
		return String.valueOf(type.getProtectionDomain().getCodeSource());
	}

	/** Of overloaded methods, one is enough. */
	private static boolean isUnguarded(Class<?> type, String name) {
		return type.isAnnotationPresent(Unguarded.class) || Stream.of(type.getDeclaredMethods())
			.anyMatch((method) -> method.getName().equals(name) && method.isAnnotationPresent(Unguarded.class));
	}

	/**
	 * A place in the code.
	 *
	 * @param frames the methods of the application that run, innermost first; empty if
	 * none does
	 * @param ignored whether its statements are not those of the application
	 * @param unguarded whether it needs no lock
	 * @param test whether it is code of a test
	 * @param annotated whether an annotation acquires a lock here
	 * @param asynchronous whether a lock is acquired here without a thread that waits
	 */
	record CodePlace(List<String> frames, boolean ignored, boolean unguarded, boolean test, boolean annotated,
			boolean asynchronous) {

		String text() {
			return this.frames.isEmpty() ? "" : this.frames.get(0);
		}

		/** The method, and the caller in which it differs from another place. */
		String beside(CodePlace other) {
			int same = 0;
			while (same < Math.min(this.frames.size(), other.frames.size())
					&& this.frames.get(same).equals(other.frames.get(same))) {
				same++;
			}
			return text() + ((same > 0 && same < this.frames.size()) ? ", called by " + this.frames.get(same) : "");
		}

	}

}
