package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * The variables of one call. Everything else comes from a context that all calls of the
 * method share: a {@code StandardEvaluationContext} for each call would cost more than
 * the evaluation.
 */
final class MethodEvaluationContext implements EvaluationContext {

	private final EvaluationContext shared;

	private final ExpressionParameters parameters;

	private final TypedValue root;

	private final @Nullable Object[] arguments;

	MethodEvaluationContext(EvaluationContext shared, ExpressionParameters parameters, Root root) {
		this.shared = shared;
		this.parameters = parameters;
		this.root = new TypedValue(root);
		this.arguments = root.getArgs();
	}

	@Override
	public TypedValue getRootObject() {
		return this.root;
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.parameters.position(name);
		return (position != null) ? this.arguments[position] : null;
	}

	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("A key expression cannot set #" + name);
	}

	@Override
	public boolean isAssignmentEnabled() {
		return false;
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return this.shared.getPropertyAccessors();
	}

	@Override
	public List<IndexAccessor> getIndexAccessors() {
		return this.shared.getIndexAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return this.shared.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return this.shared.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return this.shared.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return this.shared.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return this.shared.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return this.shared.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return this.shared.getOperatorOverloader();
	}

	/**
	 * The {@code #root} of an expression. Method and class are those that the author of
	 * the application has written, never those of a proxy, a lambda or another generated
	 * class.
	 */
	static final class Root {

		/** The properties, which can be used with or without {@code #root}. */
		static final Set<String> PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args");

		private final LockedMethod method;

		private final @Nullable Object target;

		private final @Nullable Object[] args;

		Root(LockedMethod method, @Nullable Object target, @Nullable Object[] args) {
			this.method = method;
			this.target = target;
			this.args = args;
		}

		public Method getMethod() {
			return this.method.userMethod();
		}

		public String getMethodName() {
			return this.method.method().getName();
		}

		public @Nullable Object getTarget() {
			return this.target;
		}

		public Class<?> getTargetClass() {
			return this.method.userClass();
		}

		public @Nullable Object[] getArgs() {
			return this.args;
		}

	}

}
