"""The modules, a file for each kind, which loads when one of its names is first used."""

from ..later import later

CONTENTS = {
    "activations":
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU RReLU "
        "ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink "
        "Threshold",
    "applied": "",
    "attention": "MultiheadAttention",
    "containers": "ModuleDict ModuleList Sequential",
    "convolutions": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "layers":
        "AlphaDropout Bilinear CosineSimilarity Dropout Dropout1d Dropout2d Dropout3d Embedding FeatureAlphaDropout "
        "Flatten Identity Linear PairwiseDistance Unflatten",
    "losses":
        "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss "
        "KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss "
        "NLLLoss PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    "module": "Module",
    "normalizations":
        "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm RMSNorm",
    "parameter_containers": "ParameterDict ParameterList",
    "recurrent": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell",
    "transformers":
        "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
    "windows":
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d AvgPool2d ChannelShuffle "
        "CircularPad1d CircularPad2d ConstantPad1d ConstantPad2d ConstantPad3d Fold LPPool1d LPPool2d MaxPool1d "
        "MaxPool2d PixelShuffle PixelUnshuffle ReflectionPad1d ReflectionPad2d ReplicationPad1d ReplicationPad2d "
        "Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d",
}  # fmt: skip

__getattr__, __dir__, __all__ = later("torch.nn.modules", globals(), CONTENTS)
