package io.github.distlock.transaction;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Knows where the transactions of the application begin and end. Finds none if spring-tx
 * is not on the class path.
 */
public final class TransactionBoundary {

	static final boolean JPA = ClassUtils.isPresent("org.springframework.orm.jpa.EntityManagerHolder",
			TransactionBoundary.class.getClassLoader());

	/** Needed by the fence. */
	private static final boolean JDBC = ClassUtils.isPresent("org.springframework.jdbc.datasource.ConnectionHolder",
			TransactionBoundary.class.getClassLoader());

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			TransactionBoundary.class.getClassLoader());

	private TransactionBoundary() {
	}

	/**
	 * Return whether a transaction is active on this thread and supports
	 * synchronizations.
	 * @return whether a transaction is active
	 */
	public static boolean isActive() {
		return PRESENT && TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	/**
	 * Return whether a JPA {@code EntityManager} is bound to this thread that belongs to
	 * no transaction, as in an open session in view. Its persistence context may contain
	 * entities that were read earlier.
	 * @return whether one is bound
	 */
	public static boolean hasOpenPersistenceContext() {
		return PRESENT && JPA && PersistenceContexts.isOpenWithoutTransaction();
	}

	/**
	 * Close locks when the active transaction has completed. Until then a
	 * {@link CommitGuard} checks them.
	 * @param locks held locks, in the order in which they were acquired
	 * @throws io.github.distlock.LockException if the transaction is fenced and must not
	 * continue under them
	 */
	public static void closeAfterCompletion(List<HeldLock> locks) {
		if (JDBC) {
			FenceListener.keep(locks);
		}
		// The other class is loaded only inside a transaction: it needs spring-tx.
		for (int i = locks.size() - 1; i >= 0; i--) {
			HeldLockRelease.register(locks.get(i));
		}
	}

	/**
	 * Return whether an advisor starts a transaction around a method.
	 * @param advisor any advisor
	 * @param method the method
	 * @param type the class of the method
	 * @return whether it starts one
	 */
	public static boolean demarcates(Advisor advisor, Method method, Class<?> type) {
		return PRESENT && advisor.getAdvice() instanceof TransactionInterceptor
				&& (!(advisor instanceof PointcutAdvisor pointcutAdvisor)
						|| pointcutAdvisor.getPointcut().getMethodMatcher().matches(method, type));
	}

	/**
	 * Return how a transaction begins inside of the lock of a method.
	 * @param inner the advisors inside of the lock
	 * @param method the method
	 * @param type the class of the method
	 * @return how it begins, {@code null} if none of the advisors begins one
	 */
	public static @Nullable Demarcation demarcation(List<Advisor> inner, Method method, Class<?> type) {
		for (Advisor advisor : inner) {
			if (demarcates(advisor, method, type)
					&& advisor.getAdvice() instanceof TransactionInterceptor interceptor) {
				TransactionAttributeSource attributes = Objects
					.requireNonNull(interceptor.getTransactionAttributeSource());
				TransactionAttribute attribute = attributes.getTransactionAttribute(method, type);
				return (attribute != null) ? new Demarcation(interceptor, attribute, type) : null;
			}
		}
		return null;
	}

	/**
	 * Closes a lock when a transaction has completed, with any result, after the other
	 * synchronizations. Not a record: equal synchronizations would be registered only
	 * once, but each level of a re-entry must be closed. Loaded only inside a
	 * transaction.
	 */
	static final class HeldLockRelease implements TransactionSynchronization {

		private static final Log logger = LogFactory.getLog(HeldLockRelease.class);

		private final HeldLock lock;

		private HeldLockRelease(HeldLock lock) {
			this.lock = lock;
		}

		static void register(HeldLock lock) {
			TransactionSynchronizationManager.registerSynchronization(new HeldLockRelease(lock));
		}

		HeldLock lock() {
			return this.lock;
		}

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void afterCompletion(int status) {
			try {
				this.lock.close();
			}
			catch (LockException | IllegalMonitorStateException ex) {
				warn(this.lock.key(), status, ex);
			}
		}

		static void warn(String key, int status, Throwable problem) {
			String result = switch (status) {
				case STATUS_COMMITTED -> "committed";
				case STATUS_ROLLED_BACK -> "was rolled back";
				default -> "ended";
			};
			logger.warn("The lock '" + key + "' was kept for a transaction, which " + result
					+ ", but could not be released afterwards", problem);
		}

	}

}
