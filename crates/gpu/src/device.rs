//! A device, its faults and its books.
//!
//! WebGPU reports faults beside the calls that caused them: a lost device through a callback,
//! an error through another, at some later time. Here they all go to one place, the first one
//! stays, and everything that waits for an answer of the device waits for a fault as well, so
//! that nothing waits for ever.
//!
//! Works where nothing may block (a browser's worker) and where someone must drive the queue
//! (natively): [`GpuDevice::finish`] is the only place that knows the difference.

use crate::error::{GpuError, NoMemory};
use crate::kernel::{Access, Kernel};
use crate::pipelines::{Pipeline, Pipelines};
use futures_channel::oneshot;
use serde::Serialize;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

/// What is asked of an adapter.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Prefer the card that saves power.
    pub low_power: bool,
    /// Use half precision where the adapter has it.
    pub f16: bool,
    /// Use subgroup operations where the adapter has them.
    pub subgroups: bool,
    /// How long the card may take for one answer; natively only, where no event loop could
    /// watch the time. In a browser, see [`GpuDevice::fail`].
    pub time_limit: Duration,
    /// Bytes that may be allocated in all; none for as many as there are.
    pub memory: Option<u64>,
    /// Pretend that the adapter has no higher limits than these.
    pub limits: GpuLimits,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self {
            low_power: false,
            f16: true,
            subgroups: true,
            time_limit: Duration::from_secs(60),
            memory: None,
            limits: GpuLimits::UNLIMITED,
        }
    }
}

/// The limits that this crate works within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GpuLimits {
    /// Bytes of a buffer.
    pub buffer: u64,
    /// Bytes of a buffer that a shader sees.
    pub binding: u64,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Workgroups along one dimension.
    pub workgroups: u32,
}

impl GpuLimits {
    /// No limits of one's own.
    pub const UNLIMITED: Self = Self {
        buffer: u64::MAX,
        binding: u64::MAX,
        workgroup_bytes: u32::MAX,
        threads: u32::MAX,
        workgroups: u32::MAX,
    };

    fn least(self, other: Self) -> Self {
        Self {
            buffer: self.buffer.min(other.buffer),
            // A binding's size is a 32-bit number to a shader's indices.
            binding: self.binding.min(other.binding).min(u64::from(u32::MAX)) & !255,
            workgroup_bytes: self.workgroup_bytes.min(other.workgroup_bytes),
            threads: self.threads.min(other.threads),
            workgroups: self.workgroups.min(other.workgroups),
        }
    }
}

/// What is known of an adapter.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceInfo {
    /// The adapter's name; browsers may keep it to themselves.
    pub name: String,
    /// The interface it is reached by.
    pub backend: String,
    /// The driver, if told.
    pub driver: String,
    /// It is a processor that pretends.
    pub software: bool,
    /// Half precision is there and wanted.
    pub f16: bool,
    /// Subgroup operations are there and wanted.
    pub subgroups: bool,
    /// Threads of the smallest subgroup.
    pub subgroup_size: u32,
    /// Passes can be timed.
    pub timestamps: bool,
    /// The limits.
    pub limits: GpuLimits,
}

impl DeviceInfo {
    /// What measurements of this adapter are filed under.
    pub fn key(&self) -> String {
        format!("{}|{}|{}", self.name, self.backend, self.driver)
    }
}

/// A device; clones are the same one. When the last of them is dropped it is destroyed, with all
/// that it has on the card, and not when a garbage collector comes to it.
#[derive(Clone)]
pub struct GpuDevice {
    shared: Arc<Shared>,
}

struct Shared {
    device: wgpu::Device,
    queue: wgpu::Queue,
    info: DeviceInfo,
    options: DeviceOptions,
    faults: Arc<Faults>,
    live_bytes: Arc<AtomicU64>,
    buffer_ids: AtomicU64,
    pipelines: Mutex<Pipelines>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.device.destroy();
    }
}

/// The first fault, and who is to be told of it.
#[derive(Default)]
struct Faults {
    state: Mutex<FaultState>,
}

#[derive(Default)]
struct FaultState {
    first: Option<GpuError>,
    waiting: Vec<Waiter>,
    next_waiter: u64,
}

struct Waiter {
    id: u64,
    answer: oneshot::Sender<Result<(), GpuError>>,
}

impl Faults {
    fn state(&self) -> MutexGuard<'_, FaultState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, error: GpuError) {
        let mut state = self.state();
        let first = state.first.get_or_insert(error).clone();
        for waiter in state.waiting.drain(..) {
            // Whoever no longer waits does not mind.
            let _ = waiter.answer.send(Err(first.clone()));
        }
    }

    fn wait(&self) -> (u64, oneshot::Receiver<Result<(), GpuError>>) {
        let (answer, receiver) = oneshot::channel();
        let mut state = self.state();
        state.waiting.retain(|waiter| !waiter.answer.is_canceled());
        let id = state.next_waiter;
        state.next_waiter += 1;
        match &state.first {
            // The receiver is there: it was just made.
            Some(error) => drop(answer.send(Err(error.clone()))),
            None => state.waiting.push(Waiter { id, answer }),
        }
        (id, receiver)
    }

    /// What comes of `work`, unless a fault comes first.
    async fn during<T>(&self, work: impl Future<Output = T>) -> Result<T, GpuError> {
        let (_, mut fault) = self.wait();
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Poll::Ready(done) = work.as_mut().poll(context) {
                return Poll::Ready(Ok(done));
            }
            match Pin::new(&mut fault).poll(context) {
                Poll::Ready(Ok(Err(error))) => Poll::Ready(Err(error)),
                Poll::Ready(_) | Poll::Pending => Poll::Pending,
            }
        })
        .await
    }

    fn done(&self, id: u64, result: Result<(), GpuError>) {
        let mut state = self.state();
        if let Some(at) = state.waiting.iter().position(|waiter| waiter.id == id) {
            let _ = state.waiting.swap_remove(at).answer.send(result);
        }
    }
}

impl GpuDevice {
    /// Asks the system for its preferred adapter and opens it.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`].
    pub async fn request(options: DeviceOptions) -> Result<Self, GpuError> {
        let no_adapter = |reason: String| GpuError::NoAdapter { reason };
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                power_preference: match options.low_power {
                    true => wgpu::PowerPreference::LowPower,
                    false => wgpu::PowerPreference::HighPerformance,
                },
                ..Default::default()
            })
            .await
            .map_err(|error| no_adapter(without_what_was_left_out(&error.to_string())))?;
        let has = |wanted, feature| match wanted && adapter.features().contains(feature) {
            true => feature,
            false => wgpu::Features::empty(),
        };
        let features = has(options.f16, wgpu::Features::SHADER_F16)
            | has(options.subgroups, wgpu::Features::SUBGROUP)
            | has(true, wgpu::Features::TIMESTAMP_QUERY);
        let theirs = adapter.limits();
        let limits = options.limits.least(GpuLimits {
            buffer: theirs.max_buffer_size,
            binding: theirs.max_storage_buffer_binding_size,
            workgroup_bytes: theirs.max_compute_workgroup_storage_size,
            threads: theirs
                .max_compute_invocations_per_workgroup
                .min(theirs.max_compute_workgroup_size_x),
            workgroups: theirs.max_compute_workgroups_per_dimension,
        });
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("lacuna"),
                required_features: features,
                required_limits: wgpu::Limits {
                    max_buffer_size: limits.buffer,
                    max_storage_buffer_binding_size: limits.binding,
                    max_compute_workgroup_storage_size: limits.workgroup_bytes,
                    ..theirs
                },
                ..Default::default()
            })
            .await
            .map_err(|error| no_adapter(error.to_string()))?;
        let about = adapter.get_info();
        let info = DeviceInfo {
            name: about.name,
            backend: about.backend.to_string(),
            driver: format!("{} {}", about.driver, about.driver_info)
                .trim()
                .to_owned(),
            software: about.device_type == wgpu::DeviceType::Cpu,
            f16: features.contains(wgpu::Features::SHADER_F16),
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            subgroup_size: about.subgroup_min_size,
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            limits,
        };
        let faults = Arc::new(Faults::default());
        let lost = Arc::clone(&faults);
        device.set_device_lost_callback(move |reason, message| {
            let reason = format!("{message} ({reason:?})");
            lost.fail(GpuError::Lost { reason });
        });
        let (uncaptured, live_bytes) = (Arc::clone(&faults), Arc::new(AtomicU64::new(0)));
        let allocated = Arc::clone(&live_bytes);
        device.on_uncaptured_error(Arc::new(move |error| {
            uncaptured.fail(sorted(error, allocated.load(Ordering::Relaxed)));
        }));
        Ok(Self {
            shared: Arc::new(Shared {
                device,
                queue,
                info,
                options,
                faults,
                live_bytes,
                buffer_ids: AtomicU64::new(0),
                pipelines: Mutex::default(),
            }),
        })
    }

    /// What is known of the adapter.
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// Bytes of all buffers that were made here and not freed.
    pub fn live_bytes(&self) -> u64 {
        self.shared.live_bytes.load(Ordering::Relaxed)
    }

    /// Buffers that were made here so far, freed ones included.
    pub fn buffers_made(&self) -> u64 {
        self.shared.buffer_ids.load(Ordering::Relaxed)
    }

    /// Bytes that may still be allocated, where [`DeviceOptions::memory`] says how many there are.
    pub fn memory_left(&self) -> Option<u64> {
        let memory = self.shared.options.memory?;
        Some(memory.saturating_sub(self.live_bytes()))
    }

    /// The first fault, if there was one: the device is of no more use.
    pub fn fault(&self) -> Option<GpuError> {
        self.shared.faults.state().first.clone()
    }

    /// Declares the device unusable: all that wait for it, now or later, get this error. A
    /// browser's page calls it when its patience is at an end.
    pub fn fail(&self, error: GpuError) {
        self.shared.faults.fail(error);
    }

    /// Destroys the device, as losing it would.
    pub fn destroy(&self) {
        self.shared.device.destroy();
        self.fail(GpuError::Lost {
            reason: "it was destroyed".to_owned(),
        });
    }

    /// An error if there was a fault.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        self.fault().map_or(Ok(()), Err)
    }

    pub(crate) fn raw(&self) -> &wgpu::Device {
        &self.shared.device
    }

    pub(crate) fn queue(&self) -> &wgpu::Queue {
        &self.shared.queue
    }

    pub(crate) fn count_bytes(&self, bytes: u64) -> u64 {
        self.shared.live_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.shared.buffer_ids.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn uncount_bytes(&self, bytes: u64) {
        self.shared.live_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The pipeline of a kernel, made when first asked for.
    pub(crate) fn pipeline(&self, kernel: Kernel) -> Result<Arc<Pipeline>, GpuError> {
        let mut pipelines = self
            .shared
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        pipelines.get(&self.shared.device, kernel)
    }

    /// The layout of the bindings of a kernel.
    pub(crate) fn bind_group_layout(&self, bindings: &'static [Access]) -> wgpu::BindGroupLayout {
        let mut pipelines = self
            .shared
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        pipelines.bind_group_layout(&self.shared.device, bindings)
    }

    /// Runs `work` and says what the device says to it, out-of-memory included.
    pub(crate) async fn scoped<T>(&self, work: impl FnOnce() -> T) -> Result<T, GpuError> {
        self.check()?;
        let device = &self.shared.device;
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        let (validation, memory) = (validation.pop(), memory.pop());
        let errors = async { (memory.await, validation.await) };
        let (memory, validation) = self.shared.faults.during(errors).await?;
        self.check()?;
        memory
            .or(validation)
            .map_or(Ok(result), |error| Err(sorted(error, self.live_bytes())))
    }

    /// Submits, and waits until `buffer` can be read.
    pub(crate) async fn finish(
        &self,
        commands: wgpu::CommandBuffer,
        buffer: wgpu::BufferSlice<'_>,
    ) -> Result<(), GpuError> {
        self.check()?;
        self.shared.queue.submit([commands]);
        let (id, answer) = self.shared.faults.wait();
        let faults = Arc::clone(&self.shared.faults);
        buffer.map_async(wgpu::MapMode::Read, move |result| {
            // A buffer of ours can be read unless its device is gone, which some browsers say
            // here before they say it there.
            let result = result.map_err(|error| GpuError::Lost {
                reason: error.to_string(),
            });
            faults.done(id, result);
        });
        self.drive();
        match answer.await {
            Ok(result) => result,
            // The callback was dropped without being called.
            Err(oneshot::Canceled) => {
                self.check()?;
                Err(GpuError::Lost {
                    reason: "it never answered".to_owned(),
                })
            }
        }
    }

    /// Natively, blocks until what was submitted is done; in a browser the event loop does that.
    fn drive(&self) {
        let limit = self.shared.options.time_limit;
        let waited = self.shared.device.poll(wgpu::PollType::Wait {
            submission_index: None,
            timeout: (!cfg!(target_arch = "wasm32")).then_some(limit),
        });
        match waited {
            Ok(_) => {}
            Err(wgpu::PollError::Timeout) => self.fail(GpuError::TimedOut {
                seconds: limit.as_secs(),
            }),
            Err(error) => self.fail(GpuError::Lost {
                reason: error.to_string(),
            }),
        }
    }
}

/// The implementation's error as one of ours, when so many bytes are allocated.
fn sorted(error: wgpu::Error, allocated: u64) -> GpuError {
    let message = error.to_string();
    match error {
        wgpu::Error::OutOfMemory { .. } => GpuError::OutOfMemory(NoMemory {
            what: "an allocation".to_owned(),
            allocated,
            ..NoMemory::default()
        }),
        wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => {
            GpuError::Validation { message }
        }
    }
}

/// What was said of interfaces, but for those that this build is without.
fn without_what_was_left_out(said: &str) -> String {
    let parts = said.split_inclusive([',', ';']);
    let parts = parts.filter(|part| !part.contains("not compiled in"));
    let said: String = parts.collect();
    said.trim_end_matches([',', ';', ' ']).to_owned()
}

/// A device to test with; none where there is no adapter, unless one is required.
#[cfg(test)]
pub(crate) fn for_tests() -> Option<GpuDevice> {
    match pollster::block_on(GpuDevice::request(DeviceOptions::default())) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(
                std::env::var_os("LACUNA_REQUIRE_GPU").is_none(),
                "an adapter is required: {error}"
            );
            println!("skipped: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::GpuBuffer;
    use std::future::{pending, ready};

    #[test]
    fn interfaces_that_were_left_out_are_not_told_of() {
        let said = "No suitable graphics adapter found; noop support not compiled in, vulkan \
                    support not compiled in, webgpu found no adapters";
        let expected = "No suitable graphics adapter found; webgpu found no adapters";
        assert_eq!(without_what_was_left_out(said), expected);
        assert_eq!(
            without_what_was_left_out("gone; noop support not compiled in"),
            "gone"
        );
    }

    #[test]
    fn a_fault_ends_a_wait_for_what_never_comes() {
        let faults = Arc::new(Faults::default());
        assert_eq!(pollster::block_on(faults.during(ready(3))), Ok(3));
        let elsewhere = Arc::clone(&faults);
        let error = GpuError::TimedOut { seconds: 5 };
        let late = error.clone();
        let failing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            elsewhere.fail(late);
        });
        let never = pollster::block_on(faults.during(pending::<()>()));
        assert_eq!(never, Err(error));
        failing.join().expect("it only fails");
    }

    #[test]
    fn waits_that_are_over_are_forgotten() {
        let faults = Faults::default();
        for _ in 0..9 {
            assert_eq!(pollster::block_on(faults.during(ready(()))), Ok(()));
        }
        assert_eq!(faults.state().waiting.len(), 1);
    }

    #[test]
    fn a_device_is_destroyed_with_its_last_handle() {
        let Some(device) = for_tests() else { return };
        // What is left of it then: without its queue, it says no more.
        let (raw, _queue) = (device.raw().clone(), device.queue().clone());
        let faults = Arc::clone(&device.shared.faults);
        let buffer = GpuBuffer::storage(&device, "a buffer", 16);
        let buffer = pollster::block_on(buffer).expect("there is room");
        let is_alive = || {
            let _ = raw.poll(wgpu::PollType::Poll);
            faults.state().first.is_none()
        };
        drop(device);
        assert!(is_alive(), "the buffer has a handle");
        drop(buffer);
        assert!(!is_alive());
    }
}
