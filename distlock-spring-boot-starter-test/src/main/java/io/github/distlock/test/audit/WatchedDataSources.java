package io.github.distlock.test.audit;

import java.lang.reflect.Modifier;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;

import javax.sql.DataSource;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ReflectionUtils;

/**
 * Lets an audit see each statement of each {@code DataSource} bean. The bean keeps its
 * class, unless that is final, and can be unwrapped.
 *
 * @param audit gets the statements
 */
record WatchedDataSources(LockAudit audit) implements BeanPostProcessor {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!(bean instanceof DataSource)) {
			return bean;
		}
		ProxyFactory proxy = new ProxyFactory(bean);
		proxy.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
		proxy.addAdvice((MethodInterceptor) (call) -> {
			Object result = call.proceed();
			if (bean.getClass().isInstance(((ProxyMethodInvocation) call).getProxy())) {
				// Boot's meters of HikariCP read a field that the first connection sets.
				ReflectionUtils.shallowCopyFieldState(bean, ((ProxyMethodInvocation) call).getProxy());
			}
			return (result instanceof Connection connection) ? watch(connection) : result;
		});
		return proxy.getProxy(bean.getClass().getClassLoader());
	}

	private Connection watch(Connection connection) {
		WatchedTransaction transaction = new WatchedTransaction(this.audit.findings(), new ArrayList<>());
		return proxy(Connection.class, connection, (call) -> {
			String method = call.getMethod().getName();
			Object argument = firstArgument(call);
			if (method.equals("commit") || method.equals("setAutoCommit") && Boolean.TRUE.equals(argument)) {
				transaction.commit(this.audit.places().current());
			}
			else if (method.equals("close") || method.equals("rollback") && argument == null) {
				transaction.statements().clear();
			}
			Object result = call.proceed();
			return (result instanceof Statement statement)
					? watch(statement, String.valueOf(argument), connection, transaction) : result;
		});
	}

	private Statement watch(Statement statement, String prepared, Connection connection,
			WatchedTransaction transaction) {
		Class<? extends Statement> type = (statement instanceof CallableStatement) ? CallableStatement.class
				: (statement instanceof PreparedStatement) ? PreparedStatement.class : Statement.class;
		return proxy(type, statement, (call) -> {
			String method = call.getMethod().getName();
			String sql = (firstArgument(call) instanceof String text) ? text : prepared;
			if (method.startsWith("execute") || method.equals("addBatch")) {
				this.audit.statement(sql, connection.getAutoCommit() ? null : transaction);
			}
			return call.proceed();
		});
	}

	private static @Nullable Object firstArgument(MethodInvocation call) {
		return (call.getArguments().length > 0) ? call.getArguments()[0] : null;
	}

	private static <T> T proxy(Class<T> type, Object target, MethodInterceptor advice) {
		ProxyFactory proxy = new ProxyFactory(type, advice);
		proxy.setTarget(target);
		return type.cast(proxy.getProxy(WatchedDataSources.class.getClassLoader()));
	}

}
